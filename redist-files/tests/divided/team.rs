//! Threads that stand for ranks.

use redist_files::Peers;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// Words that a rank sends, or receives.
type Words = Vec<u8>;

/// One thread of a team: words go up to rank 0, and come down from it.
struct Member {
    rank: usize,
    /// Number of ranks.
    ranks: usize,
    /// By rank, on rank 0; the only one on others.
    up: (Vec<Sender<Words>>, Vec<Receiver<Words>>),
    down: (Vec<Sender<Words>>, Vec<Receiver<Words>>),
}

fn lost<E>(_: E) -> String {
    "a thread has ended".into()
}

impl Peers for Member {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.ranks
    }

    fn gather(&self, words: Words) -> Result<Vec<Words>, String> {
        if self.rank > 0 {
            return self.up.0[0].send(words).map(|()| Vec::new()).map_err(lost);
        }
        let others = self.up.1.iter().map(|other| other.recv().map_err(lost));
        std::iter::once(Ok(words)).chain(others).collect()
    }

    fn tell(&self, words: Words) -> Result<Words, String> {
        if self.rank > 0 {
            return self.down.1[0].recv().map_err(lost);
        }
        let told = self.down.0.iter().map(|other| other.send(words.clone()).map_err(lost));
        told.fold(Ok(()), Result::and).map(|()| words.clone())
    }
}

/// Does the work of each of so many ranks, and returns what they bring, by rank.
pub fn team<T: Send>(ranks: usize, work: impl Fn(&dyn Peers) -> T + Sync) -> Vec<T> {
    let empty =
        |rank| Member { rank, ranks, up: (Vec::new(), Vec::new()), down: (Vec::new(), Vec::new()) };
    let mut members: Vec<Member> = (0..ranks).map(empty).collect();
    let (first, others) = members.split_at_mut(1);
    for other in others {
        let (up, down) = (channel(), channel());
        other.up.0.push(up.0);
        first[0].up.1.push(up.1);
        first[0].down.0.push(down.0);
        other.down.1.push(down.1);
    }
    let work = &work;
    thread::scope(|scope| {
        let spawn = |member: Member| scope.spawn(move || work(&member));
        let threads: Vec<_> = members.into_iter().map(spawn).collect();
        threads.into_iter().map(|thread| thread.join().expect("a rank's work")).collect()
    })
}
