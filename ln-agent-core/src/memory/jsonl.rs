//! Files of JSON lines that may end in a torn line.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A line, read.
pub(crate) enum Line<T> {
    Read(T),
    /// Not JSON, not UTF-8, not of this type, or torn.
    Malformed,
}

/// The lines of a file; none for a file that is not there. Blank lines are left out.
pub(crate) fn lines<T: DeserializeOwned>(
    path: &Path,
) -> io::Result<impl Iterator<Item = io::Result<Line<T>>>> {
    let file = match File::open(path) {
        Ok(file) => Some(file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let lines = file.into_iter().flat_map(|file| BufReader::new(file).split(b'\n'));
    Ok(lines
        .filter(|line| !line.as_ref().is_ok_and(|line| line.trim_ascii().is_empty()))
        .map(|line| line.map(|line| serde_json::from_slice(&line).map_or(Line::Malformed, Line::Read))))
}

/// These records, one a line.
pub(crate) fn render<T: Serialize>(records: &[T]) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    for record in records {
        serde_json::to_writer(&mut text, record)?;
        text.push(b'\n');
    }
    Ok(text)
}

/// Appends whole lines in one write, and waits until they are on disk.
pub(crate) fn append(path: &Path, lines: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
    file.lock()?;
    // What a crash left behind becomes a line of its own, so that it cannot swallow the new one.
    let mut text = if ends_in_torn_line(&mut file)? { vec![b'\n'] } else { Vec::new() };
    text.extend_from_slice(lines);
    file.write_all(&text)?;
    file.sync_data()
}

fn ends_in_torn_line(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != [b'\n'])
}

/// Puts these lines in the file's place: after a crash it has the old content or the new one, never a part.
pub(super) fn replace(path: &Path, lines: &[u8]) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let mut file = File::create(&beside)?;
    file.write_all(lines)?;
    file.sync_all()?;
    std::fs::rename(&beside, path)?;
    sync_folder(path)
}

/// A rename is only on disk when its folder is.
fn sync_folder(path: &Path) -> io::Result<()> {
    match path.parent().filter(|folder| cfg!(unix) && !folder.as_os_str().is_empty()) {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}
