//! SQL functions of this crate's own: what stands between SQLite's values and safe code.

use std::borrow::Cow;
use std::ffi::{CStr, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;

use rusqlite::ffi;

use super::Hosted;
use crate::watch::Watch;

/// Computes the answer of a call.
pub(crate) type Function = Box<dyn Fn(&Call<'_>) -> Answer + Send>;

/// What a function answers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answer {
    Null,
    Integer(i64),
    Text(Vec<u8>),
    Blob(Vec<u8>),
    /// Longer than a value may be.
    TooBig,
    /// It was time to stop.
    Stopped,
    Error(&'static str),
}

/// What an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    Number,
    Text,
    Blob,
}

/// The arguments of one call.
pub(crate) struct Call<'a> {
    context: *mut ffi::sqlite3_context,
    arguments: &'a [*mut ffi::sqlite3_value],
    watch: &'a Watch,
}

impl Call<'_> {
    /// How many arguments there are.
    pub(crate) fn len(&self) -> usize {
        self.arguments.len()
    }

    /// What an argument is; NULL where there is none.
    pub(crate) fn kind(&self, index: usize) -> Kind {
        let Some(value) = self.arguments.get(index) else { return Kind::Null };
        // SAFETY: SQLite's arguments are valid during the call.
        match unsafe { ffi::sqlite3_value_type(*value) } {
            ffi::SQLITE_NULL => Kind::Null,
            ffi::SQLITE_TEXT => Kind::Text,
            ffi::SQLITE_BLOB => Kind::Blob,
            _ => Kind::Number,
        }
    }

    /// An argument as text, as SQLite makes one of it; `None` for NULL.
    pub(crate) fn text(&self, index: usize) -> Option<Cow<'_, [u8]>> {
        let value = *self.arguments.get(index)?;
        match self.kind(index) {
            Kind::Null => None,
            // SAFETY: the argument is valid during the call, and nothing else converts it while the text is borrowed: it is
            // text already, or becomes it here for good. The length is asked after that.
            Kind::Text | Kind::Number => unsafe {
                let text = ffi::sqlite3_value_text(value);
                bytes(text, ffi::sqlite3_value_bytes(value)).map(Cow::Borrowed)
            },
            // SAFETY: as above; a copy is converted, so that the argument stays a BLOB, and freed when its text was copied.
            Kind::Blob => unsafe {
                let copy = ffi::sqlite3_value_dup(value);
                let text = ffi::sqlite3_value_text(copy);
                let owned = bytes(text, ffi::sqlite3_value_bytes(copy)).map(<[u8]>::to_vec);
                ffi::sqlite3_value_free(copy);
                owned.map(Cow::Owned)
            },
        }
    }

    /// The bytes of a BLOB.
    pub(crate) fn blob(&self, index: usize) -> &[u8] {
        let Some(value) = self.arguments.get(index) else { return &[] };
        // SAFETY: the argument is valid during the call, and is not converted. The length is asked after the bytes, as SQLite
        // wants it; an empty BLOB may have none.
        unsafe {
            let blob = ffi::sqlite3_value_blob(*value).cast::<u8>();
            bytes(blob, ffi::sqlite3_value_bytes(*value)).unwrap_or_default()
        }
    }

    /// How long a value may be.
    pub(crate) fn longest(&self) -> usize {
        // SAFETY: the context is valid during the call; a negative limit changes none.
        let limit = unsafe {
            ffi::sqlite3_limit(ffi::sqlite3_context_db_handle(self.context), ffi::SQLITE_LIMIT_LENGTH, -1)
        };
        usize::try_from(limit).unwrap_or(0)
    }

    /// Whether to stop.
    pub(crate) fn must_stop(&self) -> bool {
        self.watch.must_stop()
    }
}

/// Bytes of SQLite's.
///
/// # Safety
///
/// `start` is null, or points to `len` bytes that live and do not change as long as what is given.
unsafe fn bytes<'a>(start: *const u8, len: c_int) -> Option<&'a [u8]> {
    let len = usize::try_from(len).ok()?;
    // SAFETY: by the contract above.
    (!start.is_null()).then(|| unsafe { slice::from_raw_parts(start, len) })
}

/// What is behind a function in SQLite's hands.
struct Registered {
    function: Function,
    watch: Watch,
}

impl Hosted {
    /// Puts `function` in the place of SQLite's own of that name and number of arguments. It must give the same answer to the
    /// same arguments, and do nothing else.
    pub(crate) fn set_function(
        &mut self,
        name: &CStr,
        arguments: c_int,
        function: Function,
    ) -> rusqlite::Result<()> {
        let registered = Box::into_raw(Box::new(Registered { function, watch: self.state.watch.clone() }));
        // SAFETY: the connection is open; the name is copied. SQLite calls the destructor once, also where this fails.
        let result = unsafe {
            ffi::sqlite3_create_function_v2(
                self.connection.handle(),
                name.as_ptr(),
                arguments,
                ffi::SQLITE_UTF8 | ffi::SQLITE_DETERMINISTIC | ffi::SQLITE_INNOCUOUS,
                registered.cast(),
                Some(call),
                None,
                None,
                Some(destroy),
            )
        };
        if result == ffi::SQLITE_OK {
            Ok(())
        } else {
            Err(rusqlite::Error::SqliteFailure(ffi::Error::new(result), None))
        }
    }
}

unsafe extern "C" fn destroy(registered: *mut c_void) {
    // SAFETY: the pointer came from `Box::into_raw` in `set_function`, and SQLite gives it here once.
    drop(unsafe { Box::from_raw(registered.cast::<Registered>()) });
}

unsafe extern "C" fn call(
    context: *mut ffi::sqlite3_context,
    count: c_int,
    arguments: *mut *mut ffi::sqlite3_value,
) {
    let answered = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: SQLite gives what `set_function` registered, which lives as long as the function, and `count` arguments.
        let (registered, arguments) = unsafe {
            let count = usize::try_from(count).unwrap_or(0);
            let registered = ffi::sqlite3_user_data(context).cast::<Registered>().as_ref();
            let none: &[*mut ffi::sqlite3_value] = &[];
            (registered, if count == 0 { none } else { slice::from_raw_parts(arguments, count) })
        };
        let Some(registered) = registered else { return Answer::Null };
        if registered.watch.must_stop() {
            return Answer::Stopped;
        }
        (registered.function)(&Call { context, arguments, watch: &registered.watch })
    }));
    // SAFETY: the context is valid during the call; SQLite copies what it is given.
    unsafe {
        match answered {
            Ok(Answer::Null) => ffi::sqlite3_result_null(context),
            Ok(Answer::Integer(number)) => ffi::sqlite3_result_int64(context, number),
            Ok(Answer::Text(text)) => ffi::sqlite3_result_text64(
                context,
                text.as_ptr().cast(),
                text.len() as u64,
                ffi::SQLITE_TRANSIENT(),
                u8::try_from(ffi::SQLITE_UTF8).unwrap_or(1),
            ),
            Ok(Answer::Blob(blob)) => {
                // An empty vector has no bytes to point to, and null would be NULL.
                let start = if blob.is_empty() { b"".as_ptr() } else { blob.as_ptr() };
                ffi::sqlite3_result_blob64(context, start.cast(), blob.len() as u64, ffi::SQLITE_TRANSIENT());
            }
            Ok(Answer::TooBig) => ffi::sqlite3_result_error_toobig(context),
            Ok(Answer::Stopped) => ffi::sqlite3_result_error_code(context, ffi::SQLITE_INTERRUPT),
            Ok(Answer::Error(message)) => ffi::sqlite3_result_error(
                context,
                message.as_ptr().cast(),
                c_int::try_from(message.len()).unwrap_or(0),
            ),
            Err(_) => ffi::sqlite3_result_error_code(context, ffi::SQLITE_INTERNAL),
        }
    }
}
