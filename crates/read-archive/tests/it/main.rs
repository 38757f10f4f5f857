//! What the archive readers promise, one module a promise.

mod bombs;
mod damage;
mod guard;
mod gzip;
mod links;
mod lookup;
mod make;
mod members;
mod mutation;
mod names;
mod nested;
mod streams;
mod support;
mod tar_format;
mod tools;
mod zip_format;
