//! Checksums that archives keep of their members: those of a source are read whole, and compared.

use super::array::Workers;
use super::files::{FileTable, Parts};
use super::format::MemberSum;
use super::pool::for_all;
use super::watch::Unwatched;
use crc32fast::Hasher;
use std::os::unix::fs::FileExt;

/// Bytes that a thread reads of a member before another one may go on.
const PIECE_BYTES: u64 = 8 << 20;

/// Bytes that a thread holds.
const BUFFER_BYTES: usize = 256 << 10;

/// A part of a member.
struct Piece {
    /// The member's number.
    member: usize,
    /// The first byte in the file.
    start: u64,
    /// Bytes.
    len: u64,
}

/// Compares the members of files that have the parts of an array. Objects are left out: all of their
/// bytes would come a second time.
pub fn compare(table: &FileTable, parts: &Parts, workers: &Workers<'_>) -> Result<(), String> {
    let of_files = parts.places.iter().zip(&parts.sums);
    let of_files = of_files.filter_map(|(place, sum)| Some((place.as_ref()?.0, sum.as_ref()?)));
    let members: Vec<(usize, &MemberSum)> =
        of_files.filter(|(file, _)| !table.is_object(*file)).collect();
    let pieces: Vec<Piece> = members.iter().enumerate().flat_map(pieces).collect();
    let work = |own: &mut Vec<(usize, Hasher)>, number: usize| {
        let sum = sum(table, members[pieces[number].member].0, &pieces[number])?;
        own.push((number, sum));
        Ok(0)
    };
    let states = for_all(pieces.len(), workers.threads, &Unwatched, work)?;
    let mut sums: Vec<(usize, Hasher)> = states.into_iter().flatten().collect();
    sums.sort_unstable_by_key(|(number, _)| *number);
    let mut found = vec![Hasher::new(); members.len()];
    for (number, sum) in sums {
        found[pieces[number].member].combine(&sum);
    }
    for ((file, member), found) in members.iter().zip(found) {
        let found = found.finalize();
        if found != member.sum {
            return Err(format!(
                "{}: `{}`: its bytes have the checksum {found:08x} by CRC-32, and the archive says \
                 {:08x}: they have changed since it was written",
                table.path(*file).display(),
                member.name,
                member.sum
            ));
        }
    }
    Ok(())
}

fn pieces<'m>(
    (member, (_, of)): (usize, &'m (usize, &MemberSum)),
) -> impl Iterator<Item = Piece> + 'm {
    let (start, len) = (of.start, of.len);
    (0..len.div_ceil(PIECE_BYTES)).map(move |number| {
        let before = number * PIECE_BYTES;
        Piece { member, start: start + before, len: PIECE_BYTES.min(len - before) }
    })
}

fn sum(table: &FileTable, file: usize, piece: &Piece) -> Result<Hasher, String> {
    let mut sum = Hasher::new();
    table.act(file, |file| {
        let (mut buffer, mut done) = (vec![0; BUFFER_BYTES], 0);
        while done < piece.len {
            let now = (piece.len - done).min(BUFFER_BYTES as u64) as usize;
            let read = file.read_exact_at(&mut buffer[..now], piece.start + done);
            read.map_err(|error| error.to_string())?;
            sum.update(&buffer[..now]);
            done += now as u64;
        }
        Ok(())
    })?;
    Ok(sum)
}
