//! Three lists over the same elements, of which each is in at most one.

/// The lists of a tin, in the order of their precedence at a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum List {
    /// Flows that have no packets, and whose AQM is not yet at rest.
    Decaying,
    /// Flows that just got a packet.
    New,
    /// All others.
    Old,
}

/// Circular lists: each element and each list has a neighbour on both sides.
#[derive(Clone, Debug)]
pub(super) struct Chains {
    next: Vec<u16>,
    previous: Vec<u16>,
    elements: u16,
}

impl Chains {
    /// Empty lists for elements with numbers below `elements`.
    pub(super) fn new(elements: u16) -> Chains {
        let alone: Vec<u16> = (0..elements + 3).collect();
        Chains { next: alone.clone(), previous: alone, elements }
    }

    fn head(&self, list: List) -> u16 {
        self.elements + list as u16
    }

    /// The first element of a list.
    pub(super) fn first(&self, list: List) -> Option<u16> {
        let first = self.next[usize::from(self.head(list))];
        (first < self.elements).then_some(first)
    }

    /// Takes an element out of its list, if it is in one.
    pub(super) fn remove(&mut self, element: u16) {
        let place = usize::from(element);
        let (previous, next) = (self.previous[place], self.next[place]);
        self.next[usize::from(previous)] = next;
        self.previous[usize::from(next)] = previous;
        (self.previous[place], self.next[place]) = (element, element);
    }

    /// Moves an element to the end of a list.
    pub(super) fn append(&mut self, element: u16, list: List) {
        self.remove(element);
        let head = self.head(list);
        let last = self.previous[usize::from(head)];
        let place = usize::from(element);
        (self.previous[place], self.next[place]) = (last, head);
        self.next[usize::from(last)] = element;
        self.previous[usize::from(head)] = element;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_move_between_lists_in_their_order() {
        let mut chains = Chains::new(4);
        assert_eq!(chains.first(List::New), None);
        for element in [2, 0, 3] {
            chains.append(element, List::New);
        }
        chains.append(2, List::Old);
        assert_eq!((chains.first(List::New), chains.first(List::Old)), (Some(0), Some(2)));
        chains.remove(0);
        chains.append(3, List::Old);
        assert_eq!((chains.first(List::New), chains.first(List::Decaying)), (None, None));
        chains.remove(2);
        assert_eq!(chains.first(List::Old), Some(3));
    }
}
