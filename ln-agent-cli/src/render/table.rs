//! Columns.

use std::io::{self, IsTerminal};

/// Rows under a header, each column as wide as its widest cell.
pub(crate) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let mut widths: Vec<usize> = header.iter().map(|cell| cell.chars().count()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let head = header.iter().map(|cell| (*cell).to_owned()).collect();
    std::iter::once(&head).chain(rows).map(|row| format_row(row, &widths)).collect()
}

/// A table to look through: on a terminal no row is longer than a line, its end is cut.
pub(crate) fn listing(header: &[&str], rows: &[Vec<String>]) -> String {
    let text = table(header, rows);
    match terminal_columns() {
        Some(columns) => text.lines().map(|line| cut(line, columns)).collect(),
        None => text,
    }
}

fn terminal_columns() -> Option<usize> {
    let stdout = io::stdout();
    if !stdout.is_terminal() {
        return None;
    }
    let size = rustix::termios::tcgetwinsize(&stdout).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns >= LEAST_COLUMNS)
}

fn cut(line: &str, columns: usize) -> String {
    if line.chars().count() <= columns {
        return format!("{line}\n");
    }
    let kept: String = line.chars().take(columns - 1).collect();
    format!("{kept}…\n")
}

/// A terminal that says it is narrower says nothing useful.
const LEAST_COLUMNS: usize = 20;

fn format_row(row: &[String], widths: &[usize]) -> String {
    let cells: Vec<String> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
    format!("{}\n", cells.join("  ").trim_end())
}

#[cfg(test)]
mod tests {
    use super::{cut, table};

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [vec!["a".to_owned(), "é".to_owned()], vec!["long".to_owned(), "x".to_owned()]];

        assert_eq!(table(&["id", "value"], &rows), "id    value\na     é\nlong  x\n");
    }

    #[test]
    fn only_what_does_not_fit_is_cut() {
        assert_eq!([cut("fünf", 4), cut("fünf!", 4)], ["fünf\n", "fün…\n"]);
    }
}
