//! Request numbers that no two processes share.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// The next number, from 1. The file is locked while it is read and written.
pub(super) fn next(path: &Path) -> io::Result<u64> {
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
    file.lock()?;
    let next = read(&mut file)?.saturating_add(1);
    file.seek(SeekFrom::Start(0))?;
    file.set_len(0)?;
    writeln!(file, "{next}")?;
    file.sync_data()?;
    Ok(next)
}

fn read(file: &mut File) -> io::Result<u64> {
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    match text.trim() {
        "" => Ok(0),
        digits => digits.parse().map_err(|_| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!("`{digits}` is no request number: remove the file"),
            )
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::next;

    #[test]
    fn no_number_is_given_twice() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("msg.counter");

        let threads: Vec<_> = (0..8)
            .map(|_| {
                let path = path.clone();
                std::thread::spawn(move || (0..25).map(|_| next(&path).unwrap()).collect::<Vec<_>>())
            })
            .collect();
        let numbers: Vec<u64> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();

        assert_eq!(numbers.iter().collect::<BTreeSet<_>>(), (1..=200).collect::<Vec<_>>().iter().collect());
    }

    #[test]
    fn a_damaged_counter_is_told_not_guessed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("msg.counter");
        std::fs::write(&path, "twelve").unwrap();

        assert_eq!(next(&path).unwrap_err().to_string(), "`twelve` is no request number: remove the file");
    }
}
