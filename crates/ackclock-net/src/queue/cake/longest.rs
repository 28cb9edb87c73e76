//! The longest queue, in the heap of Linux's `sch_cake`.

/// Number of tins for which the heap has room, however many there are.
const TINS: usize = 8;

/// A heap over the queues of all tins. As in Linux, an element that moves down moves by one level only, so the queue at
/// the top need not always be the longest.
#[derive(Clone, Debug)]
pub(super) struct Longest {
    /// Numbers of queues, tin by tin.
    heap: Vec<u16>,
    /// The place of each queue in the heap.
    places: Vec<u16>,
    queues: usize,
}

impl Longest {
    /// The heap of empty queues, `queues` for each tin.
    pub(super) fn new(queues: usize) -> Longest {
        let number = |place: usize| ((place % TINS) * queues + place / TINS) as u16;
        let heap: Vec<u16> = (0..TINS * queues).map(number).collect();
        let mut places = vec![0; heap.len()];
        for (place, number) in heap.iter().enumerate() {
            places[usize::from(*number)] = place as u16;
        }
        Longest { heap, places, queues }
    }

    /// Tin and number of the queue at the top.
    pub(super) fn top(&self) -> (usize, usize) {
        let number = usize::from(self.heap[0]);
        (number / self.queues, number % self.queues)
    }

    fn swap(&mut self, one: usize, other: usize) {
        self.heap.swap(one, other);
        self.places[usize::from(self.heap[one])] = one as u16;
        self.places[usize::from(self.heap[other])] = other as u16;
    }

    fn length(&self, place: usize, lengths: &impl Fn(usize, usize) -> u64) -> u64 {
        let number = usize::from(self.heap[place]);
        lengths(number / self.queues, number % self.queues)
    }

    /// Orders the whole heap by the lengths.
    pub(super) fn build(&mut self, lengths: &impl Fn(usize, usize) -> u64) {
        for place in (0..self.heap.len() / 2).rev() {
            self.sink(place, lengths);
        }
    }

    /// Moves the element at a place down, where one of the two below is longer.
    fn sink(&mut self, mut place: usize, lengths: &impl Fn(usize, usize) -> u64) {
        let mut most = self.length(place, lengths);
        loop {
            let mut longest = place;
            for below in [2 * place + 1, 2 * place + 2] {
                if below < self.heap.len() && self.length(below, lengths) > most {
                    longest = below;
                    most = self.length(below, lengths);
                }
            }
            if longest == place {
                return;
            }
            // The bound stays that of the element that moved up.
            self.swap(place, longest);
            place = longest;
        }
    }

    /// A queue got shorter.
    pub(super) fn shortened(&mut self, tin: usize, queue: usize, lengths: &impl Fn(usize, usize) -> u64) {
        self.sink(self.places[tin * self.queues + queue].into(), lengths);
    }

    /// The queue at the top got shorter.
    pub(super) fn top_shortened(&mut self, lengths: &impl Fn(usize, usize) -> u64) {
        self.sink(0, lengths);
    }

    /// A queue got longer.
    pub(super) fn lengthened(&mut self, tin: usize, queue: usize, lengths: &impl Fn(usize, usize) -> u64) {
        let mut place = usize::from(self.places[tin * self.queues + queue]);
        while place > 0 {
            let above = (place - 1) / 2;
            if self.length(place, lengths) <= self.length(above, lengths) {
                return;
            }
            self.swap(place, above);
            place = above;
        }
    }
}
