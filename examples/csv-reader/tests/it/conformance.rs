//! The reader does what every reader must.

use read_core::conformance::Suite;

#[test]
fn the_reader_conforms() {
    let sample = "id,name,note\n1,Ada,\"first, of all\"\n2,\"Alan \"\"T\"\"\",\"two\nlines\"\n3,Grace\n4,漢字,x\n5,e,f\n";
    Suite::new(csv_reader::READER)
        .sample("a.csv", sample)
        .target("a.csv")
        .target("a.csv:2-3")
        .target("a.csv:-2")
        .target("a.csv:1-1,3-4")
        .target("a.csv:1-3?cols=name,id")
        .run();
}
