//! Messages between two ranks.

use crate::play::Fallible;
use redist_mpi::{Communicator, Error, ErrorClass};

fn ring(world: &Communicator) -> (usize, usize) {
    let (rank, size) = (world.rank(), world.size());
    ((rank + 1) % size, (rank + size - 1) % size)
}

pub fn send_and_recv(world: &Communicator) -> Fallible {
    let (next, last) = ring(world);
    let (rank, mut told) = (world.rank() as i32, [0_i32; 3]);
    if world.size() == 1 {
        return Ok(());
    }
    let receive = |told: &mut [i32; 3]| {
        let status = world.recv(told, Some(last), Some(4))?;
        assert_eq!((status.source(), status.tag()), (last, 4));
        assert_eq!((status.count::<i32>()?, status.count::<u8>()?), (Some(2), Some(8)));
        Ok::<_, Error>(())
    };
    // Long messages would have all ranks wait for each other.
    if rank % 2 == 0 {
        world.send(&[rank, -rank], next, 4)?;
        receive(&mut told)?;
    } else {
        receive(&mut told)?;
        world.send(&[rank, -rank], next, 4)?;
    }
    assert_eq!(told, [last as i32, -(last as i32), 0]);
    Ok(())
}

pub fn requests(world: &Communicator) -> Fallible {
    let own = world.duplicate()?;
    let (next, last) = ring(&own);
    let (mine, mut theirs) = ([own.rank() as u8; 5], [9; 8]);
    // SAFETY: both are left alone until the requests are complete, below.
    let (mut receive, mut send) = unsafe {
        let receive = own.irecv(theirs.as_mut_ptr(), 8, Some(last), None)?;
        (receive, own.isend(mine.as_ptr(), 5, next, 0)?)
    };
    assert!(receive.is_live());
    while !receive.test()? {}
    send.wait()?;
    assert!(!receive.is_live() && !send.is_live());
    assert!(receive.test()?, "there is none any more");
    send.wait()?;
    assert_eq!(theirs[..5], [last as u8; 5]);
    assert_eq!(theirs[5..], [9; 3]);
    Ok(())
}

/// Messages of 1, 2, … bytes from every rank to every rank.
pub fn lists(world: &Communicator) -> Fallible {
    const EACH: usize = 5;
    let own = world.duplicate()?;
    for waits in [true, false] {
        let size = own.size();
        let mut theirs = vec![[0_u8; EACH]; size * EACH];
        let mine = [own.rank() as u8 + 1; EACH];
        let mut requests = own.requests(2 * size * EACH);
        assert!(!requests.some(true)?, "nothing has begun");
        for (at, place) in theirs.iter_mut().enumerate() {
            let (rank, tag) = (at / EACH, (at % EACH) as i32);
            // SAFETY: both are left alone until the requests are complete, below.
            let (receive, send) = unsafe {
                let receive = own.irecv(place.as_mut_ptr(), EACH, Some(rank), Some(tag))?;
                (receive, own.isend(mine.as_ptr(), at % EACH + 1, rank, tag)?)
            };
            assert!(!requests.replace(at, receive).is_live());
            requests.replace(size * EACH + at, send);
            assert!(requests.is_live(at));
        }
        let mut done = 0;
        while requests.some(waits)? {
            for found in 0..requests.found() {
                let place = requests.place(found);
                assert!(!requests.is_live(place));
                if place < size * EACH {
                    assert_eq!(requests.bytes(found)?, Some(place % EACH + 1));
                }
            }
            done += requests.found();
        }
        assert_eq!(done, 2 * size * EACH);
        for (at, told) in theirs.iter().enumerate() {
            let (rank, len) = (at / EACH, at % EACH + 1);
            assert!(told[..len].iter().all(|byte| usize::from(*byte) == rank + 1), "{told:?}");
            assert!(told[len..].iter().all(|byte| *byte == 0), "{told:?}");
        }
    }
    Ok(())
}

pub fn probes(world: &Communicator) -> Fallible {
    let own = world.duplicate()?;
    let (next, last) = ring(&own);
    assert!(!own.iprobe(None, Some(6))?);
    assert!(own.improbe(Some(last), Some(6))?.is_none());
    own.barrier()?;
    let (first, second) = ([7_u16, 8], [9_u16]);
    // SAFETY: both are left alone until the requests are complete, below.
    let sent = unsafe {
        [
            own.isend(first.as_ptr().cast(), 4, next, 6)?,
            own.isend(second.as_ptr().cast(), 2, next, 7)?,
        ]
    };
    while !own.iprobe(Some(last), None)? {}
    let message = loop {
        if let Some(message) = own.improbe(None, Some(6))? {
            break message;
        }
    };
    assert_eq!((message.status().source(), message.status().tag()), (last, 6));
    assert_eq!(message.status().count::<u8>()?, Some(4));
    let mut told = [0_u16; 2];
    message.recv(&mut told)?;
    assert_eq!(told, [7, 8]);
    let mut told = [0_u16; 1];
    while !own.iprobe(Some(last), None)? {}
    own.recv(&mut told, Some(last), None)?;
    assert_eq!(told, [9]);
    sent.into_iter().try_for_each(|mut request| request.wait())
}

pub fn truncated(world: &Communicator) -> Fallible {
    let own = world.duplicate()?;
    // A single rank would be told of it as a sender, too; and by MPICH not on its communicator.
    if own.size() == 1 {
        return Ok(());
    }
    let (next, last) = ring(&own);
    let long = [1_u8; 20];
    // SAFETY: the bytes are left alone until the request is complete, below.
    let mut sent = unsafe { own.isend(long.as_ptr(), long.len(), next, 1) }?;
    let received = own.recv(&mut [0_u8; 4], Some(last), Some(1));
    sent.wait()?;
    let Err(Error::Call(error)) = received else { panic!("the message is longer") };
    assert_eq!((error.call, error.class), ("MPI_Recv", ErrorClass::Truncated), "{error}");
    assert!(error.to_string().contains("MPI_ERR_TRUNCATE") && !error.text.is_empty(), "{error}");
    Ok(())
}

pub fn no_such_rank(world: &Communicator) -> Fallible {
    let own = world.duplicate()?;
    let Err(Error::Call(error)) = own.send(&[1_u8], own.size() + 5, 0) else { panic!("no rank") };
    assert_eq!((error.call, error.class), ("MPI_Send", ErrorClass::Rank), "{error}");
    let too_large = Err(Error::TooLarge { value: 1 << 40 });
    assert_eq!(own.send(&[1_u8], 1 << 40, 0), too_large);
    Ok(())
}
