//! The random numbers of one end. All of them come from the seed of its setup.
//!
//! rustls takes its source of random numbers as a `&'static` object, which cannot belong to a connection. The object
//! here therefore draws from the generator that the end at work has lent to its thread.

use std::cell::RefCell;

use rand_core::{Rng as _, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustls::crypto::{GetRandomFailed, SecureRandom};

/// A generator of one end.
#[derive(Clone, Debug)]
pub(crate) struct Generator(Xoshiro256PlusPlus);

impl Generator {
    /// Creates the generator of a seed.
    pub(crate) fn new(seed: [u8; 32]) -> Generator {
        Generator(Xoshiro256PlusPlus::from_seed(seed))
    }

    /// Returns random bytes.
    pub(crate) fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.0.fill_bytes(&mut bytes);
        bytes
    }
}

thread_local! {
    static LENT: RefCell<Option<Generator>> = const { RefCell::new(None) };
}

/// The loan of a generator to the thread, which ends when it is dropped. A panic ends it too.
pub(crate) struct Loan<'a>(&'a mut Generator);

impl<'a> Loan<'a> {
    /// Lends a generator to the thread.
    pub(crate) fn new(generator: &'a mut Generator) -> Loan<'a> {
        LENT.set(Some(generator.clone()));
        Loan(generator)
    }
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        if let Some(generator) = LENT.take() {
            *self.0 = generator;
        }
    }
}

/// Fills `bytes` from the generator that is lent to this thread.
///
/// # Errors
/// No generator is lent: rustls is at work outside a call of an end.
pub(crate) fn fill(bytes: &mut [u8]) -> Result<(), GetRandomFailed> {
    LENT.with_borrow_mut(|lent| match lent {
        Some(generator) => {
            generator.0.fill_bytes(bytes);
            Ok(())
        }
        None => Err(GetRandomFailed),
    })
}

/// The source of random numbers that rustls is given.
#[derive(Debug)]
pub(crate) struct Lent;

impl SecureRandom for Lent {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), GetRandomFailed> {
        fill(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lent_generator_goes_on_where_it_was() {
        let mut straight = Generator::new([7; 32]);
        let mut lent = straight.clone();
        let mut drawn = Vec::new();
        for _ in 0..3 {
            let _loan = Loan::new(&mut lent);
            let mut bytes = [0; 8];
            assert!(fill(&mut bytes).is_ok());
            drawn.push(bytes);
        }
        assert_eq!(drawn, [straight.bytes(), straight.bytes(), straight.bytes()]);
        assert_eq!(lent.bytes::<8>(), straight.bytes());
        assert!(fill(&mut [0]).is_err(), "a loan ends");
    }

    #[test]
    fn a_panic_ends_a_loan() {
        let result = std::panic::catch_unwind(|| {
            let mut generator = Generator::new([7; 32]);
            let _loan = Loan::new(&mut generator);
            panic!("in a call");
        });
        assert!(result.is_err());
        assert!(fill(&mut [0]).is_err());
    }
}
