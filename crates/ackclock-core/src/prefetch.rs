//! Hints about memory that will be needed soon.
//!
//! With thousands of flows, waiting for memory takes more time than the work on a packet. A hint lets the processor bring a
//! cache line while it works on something else, and changes nothing that a program computes.

/// Lets the processor bring the cache line in which `value` begins, and goes on at once.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    prefetch_index::prefetch_index(std::slice::from_ref(value), 0);
}

/// Like [`prefetch`], for an item of a slice, which is not looked at. There is no effect beyond the end of the slice.
#[inline(always)]
pub fn prefetch_item<T>(items: &[T], number: usize) {
    prefetch_index::prefetch_index(items, number);
}
