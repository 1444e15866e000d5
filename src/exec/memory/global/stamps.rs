//! The MPs that touched each word of global memory in the current kernel, and their collisions.
//!
//! Takes accesses of one word by one MP; records them, or gives the MP that they meet. Of values it
//! knows only if a word already holds the one that is written. Knows no arrays.

/// A stamp for each word: 0 or an earlier kernel's stamp for nobody, the current kernel's first
/// stamp for several MPs, and one of the stamps after it for each MP.
#[derive(Debug, Default)]
pub(crate) struct Shadow {
    pub(super) writer: Vec<u32>,
    pub(super) reader: Vec<u32>,
    /// True if the current kernel writes the array and may race for it; else nothing is recorded.
    pub(super) is_written: bool,
    /// True if the current kernel also reads it.
    pub(super) is_read: bool,
}

/// Flag in a writer's stamp: the word was written with different values.
pub(super) const MIXED: u32 = 1 << 31;

/// Most MPs of a kernel: stamps cannot tell more apart.
pub(crate) const MOST_MPS: u64 = 1 << 30;

/// The stamps of a kernel.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Stamps {
    pub(super) several: u32,
}

impl Stamps {
    /// Returns the stamp of the MP with this serial number.
    pub(crate) fn of(self, serial: u64) -> Stamp {
        Stamp {
            several: self.several,
            own: self.several + 1 + serial as u32,
        }
    }
}

/// The stamp of an MP in a kernel.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stamp {
    pub(super) several: u32,
    pub(super) own: u32,
}

/// The other side of a collision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meets {
    /// The MP of this serial number, which wrote the word.
    Writer(u64),
    /// Several MPs, which wrote the word.
    Writers,
    /// The MP of this serial number, which read the word.
    Reader(u64),
    /// Several MPs, which read the word.
    Readers,
}

impl Shadow {
    /// Returns the stamp of the last writer of a word.
    pub(crate) fn writer(&self, offset: usize) -> u32 {
        self.writer[offset]
    }

    /// Restores the stamp of a writer.
    pub(crate) fn put_back(&mut self, offset: usize, writer: u32) {
        self.writer[offset] = writer;
    }
}

impl Stamp {
    /// Returns true if a word's writer is this MP.
    pub(crate) fn is_own(self, writer: u32) -> bool {
        writer & !MIXED == self.own
    }

    /// Returns true if no MP of the current kernel has written a word with this writer.
    pub(crate) fn is_before(self, writer: u32) -> bool {
        writer & !MIXED < self.several
    }

    /// Returns the stamp of a word that only this MP has written.
    pub(crate) fn writer(self) -> u32 {
        self.own
    }

    fn serial(self, stamp: u32) -> u64 {
        u64::from(stamp - self.several - 1)
    }

    /// Records a read of a word.
    pub(super) fn read(self, shadow: &mut Shadow, offset: usize) -> Result<(), Meets> {
        if !shadow.is_written {
            return Ok(());
        }
        let writer = shadow.writer[offset] & !MIXED;
        if writer >= self.several && writer != self.own {
            return Err(if writer == self.several {
                Meets::Writers
            } else {
                Meets::Writer(self.serial(writer))
            });
        }
        let reader = &mut shadow.reader[offset];
        if *reader < self.several {
            *reader = self.own;
        } else if *reader != self.own {
            *reader = self.several;
        }
        Ok(())
    }

    /// Records a write of a word; `same` returns true if the word already holds this value.
    pub(crate) fn write(
        self,
        shadow: &mut Shadow,
        offset: usize,
        same: impl FnOnce() -> bool,
    ) -> Result<(), Meets> {
        if !shadow.is_written {
            return Ok(());
        }
        if shadow.is_read {
            let reader = shadow.reader[offset];
            if reader == self.several {
                return Err(Meets::Readers);
            }
            if reader > self.several && reader != self.own {
                return Err(Meets::Reader(self.serial(reader)));
            }
        }
        // Several MPs may write a word if all their values are equal. If MP 0 writes 5 and then 7,
        // its
        // stamp is mixed, and MP 1 may not even write 7: it would differ from the 5.
        let stamp = shadow.writer[offset];
        let writer = stamp & !MIXED;
        let noted = if writer < self.several {
            self.own
        } else if writer == self.own {
            if same() { stamp } else { stamp | MIXED }
        } else if stamp & MIXED == 0 && same() {
            self.several
        } else if writer == self.several {
            return Err(Meets::Writers);
        } else {
            return Err(Meets::Writer(self.serial(writer)));
        };
        shadow.writer[offset] = noted;
        Ok(())
    }
}
