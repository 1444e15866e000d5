//! The active cores of a batch.

use std::sync::Arc;

use crate::exec::batches::plan::Slot;

/// The active cores of the MPs of a batch; never none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Active {
    /// In every MP, the cores from the first to before the second.
    Range(usize, usize),
    /// In every MP, several ranges of the same length at equal distances.
    Runs(Runs),
    /// In every MP, these cores, ascending.
    List(Arc<[u32]>),
    /// Cores that differ between MPs.
    Each(Arc<Each>),
    /// In every MP, a range of cores, in several iterations of a loop at the same time.
    Along(Along),
}

/// Iterations that run together; the cores of each are like a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Along {
    /// The slot of the loop variable, which holds the first number.
    pub slot: Slot,
    /// The step of the variable per iteration.
    pub rise: i64,
    /// Number of iterations.
    pub trips: usize,
    /// First active core, and the first core behind.
    pub cores: (usize, usize),
}

/// Active cores that differ from MP to MP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Each {
    /// MP · b + core of each, ascending.
    pub lanes: Vec<u32>,
    /// For every MP with active cores: its number, and its range in `lanes`.
    pub groups: Vec<(u32, u32, u32)>,
    /// The mask of this kind that it was narrowed from, the widest one.
    root: Option<Arc<Each>>,
}

impl Each {
    /// Groups ascending lanes by MPs of `cores` cores.
    fn new(lanes: Vec<u32>, cores: usize) -> Each {
        let mut groups: Vec<(u32, u32, u32)> = Vec::new();
        let cores = cores as u32;
        let (mut mp, mut end, mut start) = (0, cores, 0);
        for (at, &lane) in (0u32..).zip(&lanes) {
            if lane >= end {
                if at > start {
                    groups.push((mp, start, at));
                }
                start = at;
                while lane >= end {
                    (mp, end) = (mp + 1, end + cores);
                }
            }
        }
        if lanes.len() > start as usize {
            groups.push((mp, start, lanes.len() as u32));
        }
        Each {
            lanes,
            groups,
            root: None,
        }
    }

    /// Keeps the lanes of a mask whose truth is true: these `lanes`.
    fn within(own: &Arc<Each>, truths: &[bool], lanes: Vec<u32>) -> Each {
        let mut end = 0;
        let groups = own.groups.iter().filter_map(|&(mp, from, to)| {
            let truths = &truths[from as usize..to as usize];
            let start = end;
            end += truths.iter().map(|&truth| u32::from(truth)).sum::<u32>();
            (end > start).then_some((mp, start, end))
        });
        Each {
            groups: groups.collect(),
            lanes,
            root: Some(Arc::clone(own.root.as_ref().unwrap_or(own))),
        }
    }

    /// Returns true if it was not narrowed from a mask of this kind.
    pub(super) fn is_root(&self) -> bool {
        self.root.is_none()
    }

    /// Returns true if `own` is `root` or was narrowed from it.
    pub(super) fn is_within(own: &Arc<Each>, root: &Arc<Each>) -> bool {
        Arc::ptr_eq(own, root) || own.root.as_ref().is_some_and(|of| Arc::ptr_eq(of, root))
    }
}

/// Ranges of cores of the same length, at equal distances: `j mod 4 < 2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Runs {
    /// The first core.
    pub first: usize,
    /// Distance between the first cores of neighbouring runs.
    pub apart: usize,
    /// Number of runs; at least 2 unless they stand for a range.
    pub count: usize,
    /// Cores of a run.
    pub length: usize,
}

impl Runs {
    /// Returns the last core.
    pub(super) fn last(self) -> usize {
        self.first + (self.count - 1) * self.apart + self.length - 1
    }
}

impl Active {
    /// Builds the mask of these cores of every MP, ascending; `None` if there are none.
    pub(super) fn of(cores: Vec<u32>) -> Option<Active> {
        let (first, last) = (*cores.first()? as usize, *cores.last()? as usize);
        if last - first + 1 == cores.len() {
            return Some(Active::Range(first, last + 1));
        }
        // The first run ends where the numbers stop being consecutive. [0 1 4 5 8 9] has length 2
        // and
        // distance 4, and fits throughout; [0 1 4 5 9] stays a list.
        let at = |core: usize| cores[core] as usize;
        let ends = |core: &usize| at(*core) != first + core;
        let length = (0..cores.len()).find(ends).unwrap_or(cores.len());
        let runs = Runs {
            first,
            apart: at(length) - first,
            count: cores.len() / length,
            length,
        };
        let is_regular = cores.len().is_multiple_of(length)
            && (0..cores.len())
                .all(|core| at(core) == first + core / length * runs.apart + core % length);
        Some(if is_regular {
            Active::Runs(runs)
        } else {
            Active::List(cores.into())
        })
    }

    /// Narrows the mask to the cores whose truth is true; `lanes` holds them as MP · b + core.
    pub(super) fn each(&self, truths: &[bool], lanes: Vec<u32>, cores: usize) -> Active {
        Active::Each(Arc::new(match self {
            Active::Each(own) => Each::within(own, truths, lanes),
            Active::Range(..) | Active::Runs(_) | Active::List(_) | Active::Along(_) => {
                Each::new(lanes, cores)
            }
        }))
    }

    /// Returns the active cores as runs, if they are even and the same in all MPs. A range is one
    /// run.
    #[inline(always)]
    pub(super) fn even(&self) -> Option<Runs> {
        match *self {
            Active::Range(low, high) => Some(Runs {
                first: low,
                apart: 0,
                count: 1,
                length: high - low,
            }),
            Active::Runs(runs) => Some(runs),
            Active::Along(along) => Some(Runs {
                first: along.cores.0,
                apart: 0,
                count: along.trips,
                length: along.cores.1 - along.cores.0,
            }),
            Active::List(_) | Active::Each(_) => None,
        }
    }

    /// Returns the first active core and the first behind, if they are one range in every
    /// iteration.
    pub(super) fn range(&self) -> Option<(usize, usize)> {
        match *self {
            Active::Range(low, high) => Some((low, high)),
            Active::Along(along) => Some(along.cores),
            Active::Runs(_) | Active::List(_) | Active::Each(_) => None,
        }
    }

    /// Returns the active cores of an MP, if they are the same in all MPs.
    pub(super) fn cores(&self) -> Option<Vec<u32>> {
        match self {
            Active::Range(..) | Active::Runs(_) => {
                let runs = self.even()?;
                let starts = (0..runs.count).map(|run| runs.first + run * runs.apart);
                let cores = starts.flat_map(|start| start..start + runs.length);
                Some(cores.map(|core| core as u32).collect())
            }
            Active::List(cores) => Some(cores.to_vec()),
            Active::Each(_) | Active::Along(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_of_the_simplest_form() {
        let of = |cores: &[u32]| Active::of(cores.to_vec());
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[3]), Some(Active::Range(3, 4)));
        assert_eq!(of(&[3, 4, 5]), Some(Active::Range(3, 6)));
        let runs = |first, apart, count, length| {
            Some(Active::Runs(Runs {
                first,
                apart,
                count,
                length,
            }))
        };
        assert_eq!(of(&[1, 3, 5, 7]), runs(1, 2, 4, 1));
        assert_eq!(of(&[0, 1, 4, 5]), runs(0, 4, 2, 2));
        assert_eq!(of(&[2, 9]), runs(2, 7, 2, 1));
        for irregular in [
            &[0, 1, 4][..],
            &[0, 2, 3],
            &[0, 2, 5],
            &[0, 1, 4, 6],
            &[0, 1, 4, 5, 9, 10],
        ] {
            let active = of(irregular).unwrap();
            assert_eq!(active, Active::List(irregular.into()));
            assert_eq!(active.cores().as_deref(), Some(irregular));
        }
        assert_eq!(of(&[2, 3, 7, 8]).unwrap().cores(), Some(vec![2, 3, 7, 8]));
    }
}
