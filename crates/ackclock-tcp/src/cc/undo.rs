//! State that an algorithm saves before a reduction, in case the loss or timeout proves spurious.

/// A copy of an algorithm's state before its last reduction, or nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Saved<S>(Option<S>);

impl<S> Default for Saved<S> {
    fn default() -> Saved<S> {
        Saved(None)
    }
}

impl<S: Copy> Saved<S> {
    /// Saves `state`, in place of any earlier copy.
    pub fn save(&mut self, state: S) {
        self.0 = Some(state);
    }

    /// Restores the copy into `state` and discards it. Without a copy, `state` does not change.
    pub fn restore(&mut self, state: &mut S) {
        if let Some(before) = self.0.take() {
            *state = before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_saved_state_is_restored_once() {
        let (mut saved, mut state) = (Saved::default(), 1);
        saved.restore(&mut state);
        assert_eq!(state, 1, "nothing was saved");
        saved.save(2);
        saved.save(3);
        saved.restore(&mut state);
        assert_eq!(state, 3);
        state = 4;
        saved.restore(&mut state);
        assert_eq!(state, 4, "the copy is discarded");
    }
}
