//! What clients read.

use serde_json::{Value, json};

use super::proof::{LENGTH, lines};
use super::zoo::{Kind, MEMBERS, ROWS, Zoo};
use crate::random::Random;

/// How an answer is to be understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shape {
    /// Lines of this proof, from this one on where that is known.
    Lines { proof: String, first: Option<u64> },
    /// A dump of whole lines, from this one on.
    Dump { proof: String, first: u64 },
    /// Rows of a table, from this one on.
    Rows { first: u64 },
    /// One row, a line for each column.
    Row { id: u64 },
    /// An image of one colour.
    Image,
    /// Names of entries: each line begins with one of these.
    Names(Vec<String>),
    /// Facts, and no content.
    Facts,
}

/// A read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Read {
    target: String,
    /// `offset` and `limit`, where they are sent beside the target.
    window: Option<(u64, u64)>,
    pub(super) kind: Kind,
    pub(super) shape: Shape,
}

impl Read {
    pub(super) fn arguments(&self) -> Value {
        match self.window {
            None => json!({ "path": self.target }),
            Some((offset, limit)) => json!({ "path": self.target, "offset": offset, "limit": limit }),
        }
    }

    /// One that chance chooses.
    pub(super) fn choose(zoo: &Zoo, random: &mut Random) -> Self {
        let Some(file) = random.pick(&zoo.files) else {
            return Self { target: ".".into(), window: None, kind: Kind::Image, shape: Shape::Facts };
        };
        let (name, kind) = (file.name.as_str(), file.kind);
        if random.one_in(40) {
            let names = zoo.files.iter().map(|file| file.name.clone()).collect();
            return Self { target: ".".into(), window: None, kind, shape: Shape::Names(names) };
        }
        match kind {
            Kind::Replaced | Kind::Rewritten => Self::text(name, name, kind, random),
            Kind::Zip | Kind::TarGz => {
                let member = random.word(&MEMBERS);
                if random.one_in(6) {
                    let names = MEMBERS.map(str::to_owned).into();
                    return Self { target: name.into(), window: None, kind, shape: Shape::Names(names) };
                }
                let target = format!("{name}:{member}");
                Self::text(&target, &target, kind, random)
            }
            Kind::Database => Self::database(name, kind, random),
            Kind::Image => {
                let shape = if random.one_in(4) { Shape::Facts } else { Shape::Image };
                let rest = if shape == Shape::Facts { ":stat" } else { "" };
                Self { target: format!("{name}{rest}"), window: None, kind, shape }
            }
        }
    }

    fn text(target: &str, proof: &str, kind: Kind, random: &mut Random) -> Self {
        let proof = proof.to_owned();
        // Sometimes beyond the end of short versions.
        let first = 1 + random.below(usize::try_from(lines(6)).unwrap_or(1)) as u64;
        let count = 1 + random.length(300) as u64;
        let lines = |first| Shape::Lines { proof: proof.clone(), first };
        let (rest, window, shape) = match random.below(9) {
            0 => (String::new(), None, lines(Some(1))),
            1 => (format!(":{first}-{}", first + count - 1), None, lines(Some(first))),
            2 => (format!(":{first}+{count}:raw"), None, lines(Some(first))),
            3 => (format!(":-{count}"), None, lines(None)),
            4 => (
                format!(":@{}+{}", (first - 1) * LENGTH as u64, count * LENGTH as u64),
                None,
                lines(Some(first)),
            ),
            5 => {
                let rest = format!(":hex:@{}+{}", (first - 1) * LENGTH as u64, LENGTH * 4);
                (rest, None, Shape::Dump { proof: proof.clone(), first })
            }
            6 => (":stat".to_owned(), None, Shape::Facts),
            7 => (String::new(), Some((first, count)), lines(Some(first))),
            _ => (format!(":{first}-"), None, lines(Some(first))),
        };
        Self { target: format!("{target}{rest}"), window, kind, shape }
    }

    fn database(name: &str, kind: Kind, random: &mut Random) -> Self {
        let id = 1 + random.below(usize::try_from(ROWS).unwrap_or(1)) as u64;
        let (rest, shape) = match random.below(6) {
            0 => (String::new(), Shape::Names(vec!["t".into()])),
            1 => (format!(":t?limit=50&offset={}", id - 1), Shape::Rows { first: id }),
            2 => (format!(":t?where=id>={id}&limit=50"), Shape::Rows { first: id }),
            3 => (format!(":t:{id}"), Shape::Row { id }),
            4 => (format!(":t:{id}:line"), Shape::Lines { proof: name.to_owned(), first: None }),
            _ => (
                format!("?q=SELECT id, version, proof FROM t WHERE id >= {id} ORDER BY id"),
                Shape::Rows { first: id },
            ),
        };
        Self { target: format!("{name}{rest}"), window: None, kind, shape }
    }
}
