//! An archive's whole index: from its central directory, or, where there is none, from what stands in front of it.

use read_core::{Meter, ReadError, Slice};

use super::builder::Builder;
use super::index::{Index, Place};
use super::{directory, end, recover};

/// The index; `None` when this is no zip.
pub(super) fn read(slice: &Slice, path: &str, meter: &Meter) -> Result<Option<Index>, ReadError> {
    let ends = end::directories(slice).map_err(|error| ReadError::io(path, error))?;
    let mut builder = Builder::default();
    let Some(end) = ends.first() else {
        let found = recover::read(slice, &mut builder, path, meter)?;
        let place = Place { len: slice.len(), ..Place::default() };
        return found.map(|damage| builder.finish(Some(damage), false, place)).transpose();
    };
    let damage = directory::read(slice, end, &mut builder, path, meter)?;
    let place = Place { len: slice.len(), base: end.base, is_volume: end.is_volume };
    builder.finish(damage, end::are_several(&ends), place).map(Some)
}
