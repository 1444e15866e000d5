//! Figures of the two ways between host and global memory.

/// A figure for either way.
#[derive(Debug, Clone, PartialEq)]
pub struct PerDirection<T> {
    /// Host to global memory.
    pub inward: T,
    /// Global memory to host.
    pub outward: T,
}

impl<T: Clone> PerDirection<T> {
    /// The same figure either way.
    ///
    /// ```
    /// use atgpu::machine::{Millis, PerDirection};
    ///
    /// let alpha = PerDirection::both(Millis::new(1));
    /// assert_eq!(alpha.inward, alpha.outward);
    /// ```
    pub fn both(figure: T) -> Self {
        PerDirection {
            inward: figure.clone(),
            outward: figure,
        }
    }

    /// Inward, then outward.
    pub(crate) fn either(&self) -> [&T; 2] {
        [&self.inward, &self.outward]
    }

    /// The figure, where it is the same either way.
    ///
    /// ```
    /// use atgpu::machine::PerDirection;
    ///
    /// assert_eq!(PerDirection { inward: 3, outward: 3 }.only(), Some(&3));
    /// assert_eq!(PerDirection { inward: 3, outward: 4 }.only(), None);
    /// ```
    pub fn only(&self) -> Option<&T>
    where
        T: PartialEq,
    {
        (self.inward == self.outward).then_some(&self.inward)
    }
}
