//! Links with a latency: a receiver has a message no sooner than so long after its sender sent it.
//!
//! The kernel of most containers has no queue that delays packets. So a message carries the time at
//! which it left, in elements after its own. All ranks of one machine read one clock. This delays each
//! message once; it does not delay the acknowledgements of TCP, nor the handshake of a long message.

use mpi::traits::Equivalence;
use redist_moves::wall::now;

/// Elements that can carry a time.
pub trait Stamped: Copy + Equivalence {
    /// Elements that a time takes.
    const STAMP: usize;

    fn write(time: f64, stamp: &mut [Self]);

    fn read(stamp: &[Self]) -> f64;
}

impl Stamped for f32 {
    const STAMP: usize = 2;

    fn write(time: f64, stamp: &mut [Self]) {
        let bits = time.to_bits();
        stamp[0] = f32::from_bits((bits >> 32) as u32);
        stamp[1] = f32::from_bits(bits as u32);
    }

    fn read(stamp: &[Self]) -> f64 {
        let [high, low] = [stamp[0], stamp[1]].map(|part| u64::from(part.to_bits()));
        f64::from_bits(high << 32 | low)
    }
}

/// The latency of all links, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Latency(pub f64);

impl Latency {
    /// Returns the elements of a message with its stamp; none for an empty message.
    pub fn padded<T: Stamped>(self, volume: usize) -> usize {
        if volume == 0 { 0 } else { volume + self.stamp::<T>() }
    }

    fn stamp<T: Stamped>(self) -> usize {
        if self.0 > 0.0 { T::STAMP } else { 0 }
    }

    /// Returns the message's own elements.
    pub fn own<T: Stamped>(self, message: &[T]) -> &[T] {
        &message[..message.len().saturating_sub(self.stamp::<T>())]
    }

    /// Returns the message's own elements.
    pub fn own_mut<T: Stamped>(self, message: &mut [T]) -> &mut [T] {
        let len = message.len().saturating_sub(self.stamp::<T>());
        &mut message[..len]
    }

    /// Writes the time at which a message leaves.
    pub fn leave<T: Stamped>(self, message: &mut [T]) {
        let own = message.len().saturating_sub(self.stamp::<T>());
        if own < message.len() {
            T::write(now(), &mut message[own..]);
        }
    }

    /// Waits until a message is there, and returns its own elements.
    pub fn arrive<T: Stamped>(self, message: &[T]) -> &[T] {
        let own = self.own(message);
        if own.len() < message.len() {
            let there = T::read(&message[own.len()..]) + self.0;
            while now() < there {
                std::thread::yield_now();
            }
        }
        own
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_there_no_sooner_than_its_latency_says() {
        let latency = Latency(2e-3);
        let mut message = vec![1.0_f32; latency.padded::<f32>(3)];
        assert_eq!(message.len(), 5);
        let left = now();
        latency.leave(&mut message);
        assert_eq!(latency.arrive(&message), [1.0; 3]);
        assert!(now() - left >= 2e-3);
        assert_eq!(latency.padded::<f32>(0), 0);
    }

    #[test]
    fn without_latency_a_message_is_as_it_was() {
        let none = Latency(0.0);
        let mut message = vec![1.0_f32; none.padded::<f32>(3)];
        none.leave(&mut message);
        assert_eq!(none.arrive(&message), [1.0; 3]);
    }

    #[test]
    fn a_time_survives_as_elements() {
        for time in [0.0, 1.5, 123_456.789_012_345, now()] {
            let mut stamp = [0.0_f32; 2];
            f32::write(time, &mut stamp);
            assert_eq!(f32::read(&stamp), time);
        }
    }
}
