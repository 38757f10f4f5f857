//! Decoding in pieces, for taps that want the text of a whole source as it passes.

use super::charset::Charset;

/// Decodes a stream piece by piece; what the end of a piece cuts waits for the next.
pub(super) struct StreamDecoder {
    decoder: Decoder,
    text: String,
    malformed: u64,
}

enum Decoder {
    /// Encodings whose cut characters can be told from their bytes alone.
    Unicode { charset: Charset, carry: Vec<u8> },
    /// All others keep their state.
    #[cfg(feature = "encodings")]
    Legacy(encoding_rs::Decoder),
}

impl StreamDecoder {
    pub(super) fn new(charset: Charset) -> Self {
        let decoder = match charset {
            Charset::Utf8 | Charset::Utf16(_) | Charset::Utf32(_) => {
                Decoder::Unicode { charset, carry: Vec::new() }
            }
            #[cfg(feature = "encodings")]
            Charset::Legacy(encoding) => Decoder::Legacy(encoding.new_decoder_without_bom_handling()),
        };
        Self { decoder, text: String::new(), malformed: 0 }
    }

    /// The text of `bytes`, as far as its characters are whole; the rest comes with the next piece. `last`: nothing
    /// follows.
    pub(super) fn feed(&mut self, bytes: &[u8], last: bool) -> &str {
        self.text.clear();
        match &mut self.decoder {
            Decoder::Unicode { charset, carry } => {
                let joined;
                let bytes = if carry.is_empty() {
                    bytes
                } else {
                    carry.extend_from_slice(bytes);
                    joined = std::mem::take(carry);
                    &joined
                };
                let cut = if last { 0 } else { charset.cut_at_end(bytes) };
                let (whole, rest) = bytes.split_at(bytes.len() - cut);
                self.malformed = self.malformed.saturating_add(charset.decode(whole, &mut self.text).count);
                carry.extend_from_slice(rest);
            }
            #[cfg(feature = "encodings")]
            Decoder::Legacy(decoder) => {
                let mut rest = bytes;
                loop {
                    self.text.reserve(rest.len().saturating_mul(3).saturating_add(16));
                    let (result, read, replaced) = decoder.decode_to_string(rest, &mut self.text, last);
                    self.malformed = self.malformed.saturating_add(u64::from(replaced));
                    rest = rest.get(read..).unwrap_or_default();
                    if matches!(result, encoding_rs::CoderResult::InputEmpty) {
                        break;
                    }
                }
            }
        }
        &self.text
    }

    /// Whether anything had to be replaced so far.
    pub(super) fn is_lossy(&self) -> bool {
        self.malformed > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn charsets() -> Vec<Charset> {
        let labels = ["utf-8", "utf-16le", "utf-16be", "utf-32le", "utf-32be"];
        labels
            .into_iter()
            .chain(
                cfg!(feature = "encodings")
                    .then_some(["gb18030", "shift_jis", "euc-jp"])
                    .into_iter()
                    .flatten(),
            )
            .map(|label| Charset::for_label(label).unwrap())
            .collect()
    }

    proptest! {
        #[test]
        fn pieces_give_what_the_whole_gives(
            bytes in proptest::collection::vec(prop_oneof![any::<u8>(), Just(0), Just(0xD8), Just(0xE2), Just(0x81)], 0..60),
            cuts in proptest::collection::vec(0_usize..60, 0..6),
        ) {
            for charset in charsets() {
                let mut whole = String::new();
                charset.decode(&bytes, &mut whole);
                let mut cuts: Vec<_> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
                cuts.sort_unstable();
                let mut decoder = StreamDecoder::new(charset);
                let (mut pieces, mut from) = (String::new(), 0);
                for cut in cuts {
                    pieces.push_str(decoder.feed(&bytes[from..cut], false));
                    from = cut;
                }
                pieces.push_str(decoder.feed(&bytes[from..], true));
                prop_assert_eq!(&pieces, &whole, "{:?}", charset);
                prop_assert_eq!(decoder.is_lossy(), charset.decode(&bytes, &mut String::new()).count > 0);
            }
        }
    }
}
