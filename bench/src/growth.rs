//! How the cost of a read grows with what it reads.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use crate::inputs::{Inputs, Scale};
use crate::median::median;
use crate::options::Options;
use crate::process::Line;
use crate::tasks;

/// A task at each size, from the least on.
#[derive(Debug)]
pub(crate) struct Growth {
    pub(crate) task: String,
    pub(crate) times: Vec<(String, Duration)>,
}

/// Times the whole process at each size that there are inputs of.
pub(crate) fn measure(tool: &Path, inputs: &Inputs, options: &Options) -> Result<Vec<Growth>> {
    let mut all: Vec<Growth> = Vec::new();
    for scale in Scale::ALL.into_iter().filter(|scale| *scale <= inputs.scale) {
        for (name, target) in tasks::growing(scale) {
            if !options.wants(name) {
                continue;
            }
            eprintln!("{name} at {} …", scale.shown());
            let line = Line::new(&inputs.folder, tool, &[&target]);
            line.time()?;
            let times = (0..options.runs()).map(|_| line.time()).collect::<Result<Vec<_>>>()?;
            let point = (scale.shown(), median(times));
            match all.iter_mut().find(|growth| growth.task == name) {
                Some(growth) => growth.times.push(point),
                None => all.push(Growth { task: name.to_owned(), times: vec![point] }),
            }
        }
    }
    Ok(all)
}
