//! What may follow an image in a target.

use read_core::{ErrorCode, Request};

use crate::made::{png, read, read_with};

fn error(rest: &str) -> (ErrorCode, String) {
    let error =
        read_with(read_image::READER, &format!("s.png:{rest}"), &png(4, 3), &Request::default()).unwrap_err();
    (error.code(), error.message().to_owned())
}

#[test]
fn lines_are_an_error_that_says_so() {
    for rest in ["1-5", "7", "-3", "1-2,4-5", "12:3", "L4"] {
        let (code, message) = error(rest);
        assert_eq!(code, ErrorCode::InvalidSelector, "{rest}");
        assert!(message.contains("image") && message.contains(":hex"), "{message}");
    }
}

#[test]
fn raw_is_refused_with_an_offer() {
    for rest in ["raw", "raw:1-5", "1-5:raw"] {
        let (code, message) = error(rest);
        assert_eq!(code, ErrorCode::UnsupportedContent, "{rest}");
        assert!(message.contains(":hex"), "{message}");
    }
}

#[test]
fn what_is_no_selector_is_never_widened() {
    for rest in ["abc", "raw:raw", "1-5:9:9", "0", "users:42"] {
        assert_eq!(error(rest).0, ErrorCode::InvalidSelector, "{rest}");
    }
}

#[test]
fn bytes_and_facts_are_of_the_file() {
    let bytes = png(4, 3);
    let shown = |rest: &str| {
        read_with(read_image::READER, &format!("s.png:{rest}"), &bytes, &Request::default())
            .unwrap()
            .to_text()
    };
    assert!(shown("hex:@0+8").starts_with("00000000  89 50 4e 47 0d 0a 1a 0a"));
    let facts = shown("stat");
    assert!(facts.contains("media type: image/png") && facts.contains("reader: image"), "{facts}");
}

#[test]
fn offset_and_limit_are_ignored_aloud() {
    let mut request = Request::default();
    request.offset = Some(5);
    let text = read_with(read_image::READER, "s.png", &png(4, 3), &request).unwrap().to_text();
    assert_eq!(text, "[Image: s.png, 4x3, image/png]\n\n[offset and limit ignored: an image has no lines]");
    assert!(read("s.png", &png(4, 3)).is_ok());
}

#[test]
fn an_image_has_no_parts() {
    let error =
        read_with(read_image::READER, "s.png:foo\u{202e}", &png(4, 3), &Request::default()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidSelector);
    assert_eq!(error.suggestions(), ["s.png", "s.png:stat", "s.png:hex"]);
    assert!(!error.message().contains(":raw") && !error.message().contains('\u{202e}'), "{error}");
}
