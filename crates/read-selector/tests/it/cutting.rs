//! The cuts of a target lose nothing, and go from the longest path to the shortest.

use proptest::prelude::*;
use read_selector::{Classified, classify, cuts, head};

/// Targets with many separators, and anything else.
fn target() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), r"[aC15é:?/\\.-]{0,24}", r"[a-z]:[/\\][a-c:?]{0,12}"]
}

proptest! {
    #[test]
    fn path_separator_and_rest_make_the_target(target in target()) {
        for cut in cuts(&target) {
            let colon = target.as_bytes().get(cut.path.len()) == Some(&b':');
            prop_assert!(colon || cut.rest.is_empty() || cut.rest.starts_with('?'));
            let separator = if colon { ":" } else { "" };
            prop_assert_eq!(format!("{}{separator}{}", cut.path, cut.rest), target.as_str());
        }
    }

    #[test]
    fn paths_shrink_from_the_whole_target_and_are_never_empty(target in target()) {
        let paths: Vec<_> = cuts(&target).map(|cut| cut.path).collect();
        prop_assert_eq!(paths.first().copied(), Some(target.as_str()).filter(|path| !path.is_empty()));
        prop_assert!(paths.iter().all(|path| !path.is_empty()));
        prop_assert!(paths.windows(2).all(|pair| pair[0].len() > pair[1].len()));
    }

    #[test]
    fn every_separator_is_a_cut_save_the_first_byte_and_a_drive(target in target()) {
        let bytes = target.as_bytes();
        let drive = bytes.len() > 2
            && bytes[0].is_ascii_alphabetic()
            && bytes[1] == b':'
            && matches!(bytes[2], b'/' | b'\\');
        let separators = (1..bytes.len())
            .filter(|&at| matches!(bytes[at], b':' | b'?') && !(drive && at == 1))
            .rev();
        let found = cuts(&target).skip(1).map(|cut| cut.path.len());
        prop_assert!(found.eq(separators));
    }

    #[test]
    fn the_head_is_the_shortest_path_before_a_selector_tail(target in target()) {
        let shortest = cuts(&target)
            .filter(|cut| target.as_bytes().get(cut.path.len()) != Some(&b'?'))
            .filter(|cut| !matches!(classify(cut.rest), Classified::NotSelector))
            .map(|cut| cut.path)
            .last();
        prop_assert_eq!(head(&target), shortest.unwrap_or(&target));
    }
}
