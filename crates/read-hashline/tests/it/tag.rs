//! The tag is SHA-256 over the normal form, ignores what it should and nothing else, and does not mind the pieces.

use proptest::prelude::*;
use read_hashline::{Capture, Digest, NormalText, Tag, Tagger, normalize};
use sha2::{Digest as _, Sha256};

/// Text full of what matters here: blanks, line ends, marks, and characters of several bytes.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![" ", "\t", "\r", "\n", "\r\n", "\u{FEFF}", "a", "é", "\u{A0}", "\u{2028}", "😀", "\0"])
            .prop_map(str::to_owned),
        1 => (prop::sample::select(vec![" ", "\t", "\r", " \t", "x", "\n"]), 1_usize..300)
            .prop_map(|(piece, times)| piece.repeat(times)),
        1 => "[a-z ]{0,80}",
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

/// The normal form, said as plainly as can be.
fn plainly(text: &str) -> String {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let lines: Vec<&str> = text.split('\n').map(|line| line.trim_end_matches([' ', '\t', '\r'])).collect();
    lines.join("\n")
}

fn plain_digest(text: &str) -> Digest {
    Digest::from_bytes(Sha256::digest(plainly(text)).into())
}

/// The text in pieces of these lengths, which need not end at characters.
fn pieces<'a>(text: &'a str, lengths: &'a [usize]) -> impl Iterator<Item = &'a [u8]> {
    let mut rest = text.as_bytes();
    let mut lengths = lengths.iter().cycle();
    std::iter::from_fn(move || {
        let (piece, behind) = rest.split_at((*lengths.next()?).min(rest.len()));
        let done = rest.is_empty();
        rest = behind;
        (!done).then_some(piece)
    })
}

#[test]
fn tags_are_the_published_ones() {
    for (text, tag) in [
        ("a\nb\n", "9111"),
        ("\u{FEFF}a \t\r\nb\r\n", "9111"),
        ("a\nb\nc\nd\ne\n", "86DC"),
        ("", "E3B0"),
        ("\u{FEFF} \t", "E3B0"),
    ] {
        assert_eq!(Tag::of(text).to_string(), tag, "{text:?}");
        assert_eq!(NormalText::new(text).tag().to_string(), tag, "{text:?}");
    }
}

#[test]
fn what_is_not_ignored_changes_the_digest() {
    let texts = [
        "a\nb\n",
        "a\nb",
        "a\n\nb\n",
        "a\n b\n",
        " a\nb\n",
        "a\rb\n",
        "\na\nb\n",
        "a\nb\n\n",
        "A\nb\n",
        "a\nb\u{A0}\n",
        "\u{FEFF}\u{FEFF}a\nb\n",
        "a\n\u{FEFF}b\n",
        "a\nb\u{B}\n",
        "a\nb\0\n",
        "a\u{2028}b\n",
        "",
    ];
    for (index, text) in texts.iter().enumerate() {
        for other in &texts[index + 1..] {
            assert_ne!(Digest::of(text), Digest::of(other), "{text:?} {other:?}");
        }
    }
}

proptest! {
    #[test]
    fn the_tag_is_the_hash_of_the_normal_form(text in text()) {
        let normal = normalize(&text);
        prop_assert_eq!(&normal, &plainly(&text));
        let digest = Digest::of(&text);
        prop_assert_eq!(digest, plain_digest(&text));
        prop_assert_eq!(Tag::of(&text).to_string(), digest.to_string()[..4].to_owned());
        let kept = NormalText::new(&text);
        prop_assert_eq!(kept.as_str(), &*normal);
        prop_assert_eq!(kept.digest(), digest);
    }

    #[test]
    fn pieces_make_no_difference(text in text(), lengths in prop::collection::vec(0_usize..200, 1..8)) {
        prop_assume!(lengths.iter().any(|length| *length > 0));
        let (mut tagger, mut capture) = (Tagger::new(), Capture::new());
        for piece in pieces(&text, &lengths) {
            tagger.update_bytes(piece);
            capture.update_bytes(piece);
        }
        prop_assert_eq!(tagger.finish(), plain_digest(&text));
        let (captured, whole) = (capture.finish().unwrap(), NormalText::new(&text));
        prop_assert_eq!(captured.line_count(), whole.line_count());
        prop_assert_eq!(captured.decoded_bytes(), text.len());
        prop_assert_eq!(captured, whole);

        let mut by_characters = Tagger::new();
        for character in text.chars() {
            by_characters.update(character.encode_utf8(&mut [0; 4]));
        }
        prop_assert_eq!(by_characters.finish(), plain_digest(&text));
    }

    #[test]
    fn blanks_at_line_ends_and_a_mark_make_no_difference(
        lines in prop::collection::vec(("[a-z \t\r]{0,9}[a-z]|", "[ \t\r]{0,9}", "[ \t\r]{0,9}"), 0..12),
        marked in any::<bool>(),
        last in any::<bool>(),
    ) {
        let end = if last { "\n" } else { "" };
        let of = |blanks: fn(&(String, String, String)) -> &str| {
            let rows: Vec<String> = lines.iter().map(|line| format!("{}{}", line.0, blanks(line))).collect();
            rows.join("\n") + end
        };
        let (one, mut other) = (of(|line| &line.1), of(|line| &line.2));
        if marked {
            other.insert(0, '\u{FEFF}');
        }
        prop_assert_eq!(Digest::of(&one), Digest::of(&other));
        prop_assert_eq!(Digest::of(&one.replace('\n', "\r\n")), Digest::of(&one));
    }

    #[test]
    fn different_normal_forms_have_different_digests(one in text(), other in text()) {
        prop_assert_eq!(normalize(&one) == normalize(&other), Digest::of(&one) == Digest::of(&other));
    }

    #[test]
    fn lines_are_counted_as_they_are_shown(text in text()) {
        let shown = text.strip_prefix('\u{FEFF}').unwrap_or(&text).split_terminator('\n').count() as u64;
        prop_assert_eq!(NormalText::new(&text).line_count(), shown);
        prop_assert_eq!(NormalText::new(&text).all_lines().count(), shown);
    }
}
