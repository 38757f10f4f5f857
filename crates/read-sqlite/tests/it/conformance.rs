//! The reader does what every reader must.

use crate::bench::PATIENT;
use read_core::conformance::Suite;

#[test]
fn the_reader_conforms() {
    Suite::new(&PATIENT)
        .sample("d.db", include_bytes!("../data/users.db"))
        .target("d.db")
        .target("d.db:users")
        .target("d.db:users:2")
        .target("d.db:users:2:name")
        .target("d.db:users?limit=1")
        .target("d.db:users?where=id > 1&order=name:desc")
        .target("d.db?q=SELECT name FROM users")
        .run();
}
