//! Texts of one path that share a tag.

use std::collections::HashMap;

use read_hashline::{Check, LineRange, NormalText, SnapshotStore, Tag};

/// Two small texts whose tags are alike: among a few hundred there are some.
fn alike() -> (String, String) {
    let mut seen: HashMap<Tag, String> = HashMap::new();
    (0..)
        .find_map(|number| {
            let text = format!("text {number}\n");
            let earlier = seen.insert(Tag::of(&text), text.clone())?;
            Some((earlier, text))
        })
        .unwrap()
}

#[test]
fn the_newer_ones_tag_is_lengthened_until_they_differ() {
    let (older, newer) = alike();
    let (first, second) = (NormalText::new(&older), NormalText::new(&newer));
    assert_eq!(first.tag(), second.tag());
    let store = SnapshotStore::default();
    let short = store.record("f", &first, &first.all_lines()).unwrap();
    let long = store.record("f", &second, &second.all_lines()).unwrap();
    assert_eq!((short.digits(), long.digits()), (4, 5));
    assert!(long.begins(&second.digest()) && long.to_string().starts_with(&short.to_string()));

    let line = [LineRange::line(1).unwrap()];
    assert_eq!(store.check("f", short, &line, &older), Check::Fresh);
    assert_eq!(store.check("f", long, &line, &newer), Check::Fresh);
    assert!(matches!(store.check("f", short, &line, &newer), Check::Drifted { .. }));
    assert!(matches!(store.check("f", long, &line, &older), Check::Drifted { .. }));
    assert_eq!(store.by_tag("f", second.digest().tag_with(6)), None);

    // Shown again, each keeps the tag it was shown under.
    assert_eq!(store.record("f", &second, &second.all_lines()), Ok(long));
    assert_eq!(store.record("f", &first, &first.all_lines()), Ok(short));
}

#[test]
fn texts_of_different_paths_may_share_a_tag() {
    let (older, newer) = alike();
    let store = SnapshotStore::default();
    let tags = [("a", &older), ("b", &newer)].map(|(path, text)| {
        let text = NormalText::new(text);
        store.record(path, &text, &text.all_lines()).unwrap()
    });
    assert_eq!(tags[0], tags[1]);
    let paths: Vec<String> = store.paths_with_tag(tags[0]).iter().map(ToString::to_string).collect();
    assert_eq!(paths, ["b", "a"]);
    assert_eq!(store.check("a", tags[0], &[], &older), Check::Fresh);
    assert_eq!(store.check("b", tags[0], &[], &newer), Check::Fresh);
}
