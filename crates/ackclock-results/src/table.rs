//! Results as tables: named columns of equal length.

use crate::Row;

/// The values of a column; `None` where a cell is empty.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Whole numbers.
    Int(Vec<Option<i64>>),
    /// Real numbers.
    Float(Vec<Option<f64>>),
    /// Text.
    Text(Vec<Option<String>>),
    /// Truth values.
    Bool(Vec<Option<bool>>),
}

impl Column {
    /// An empty column of whole numbers.
    pub const INT: Column = Column::Int(Vec::new());
    /// An empty column of real numbers.
    pub const FLOAT: Column = Column::Float(Vec::new());
    /// An empty column of text.
    pub const TEXT: Column = Column::Text(Vec::new());
    /// An empty column of truth values.
    pub const BOOL: Column = Column::Bool(Vec::new());

    /// Returns the number of cells.
    pub fn len(&self) -> usize {
        match self {
            Column::Int(cells) => cells.len(),
            Column::Float(cells) => cells.len(),
            Column::Text(cells) => cells.len(),
            Column::Bool(cells) => cells.len(),
        }
    }

    /// Whether there is no cell.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A cell that is to be added to a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A whole number.
    Int(Option<i64>),
    /// A real number.
    Float(Option<f64>),
    /// Text.
    Text(Option<String>),
    /// A truth value.
    Bool(Option<bool>),
}

/// A table. The columns are those of the declaration of its rows; a table to which no row was added may have none.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Table {
    /// Column names and values.
    pub columns: Vec<(&'static str, Column)>,
}

impl Table {
    /// Creates the table of rows of a kind, which has its columns even without rows.
    pub fn of<R: Row>() -> Table {
        Table { columns: R::TABLE.columns.iter().map(|column| (column.name, column.kind.column())).collect() }
    }

    /// Appends a row.
    ///
    /// # Panics
    /// If the table has rows of another kind.
    pub fn push<R: Row>(&mut self, row: R) {
        if self.columns.is_empty() {
            *self = Table::of::<R>();
        }
        let (cells, declared) = (row.cells(), R::TABLE.columns);
        assert_eq!(self.columns.len(), cells.len(), "a row has the columns of the table");
        for (((name, column), cell), declared) in self.columns.iter_mut().zip(cells).zip(declared) {
            assert_eq!(*name, declared.name, "the rows of a table are of one kind");
            match (column, cell) {
                (Column::Int(cells), Cell::Int(value)) => cells.push(value),
                (Column::Float(cells), Cell::Float(value)) => cells.push(value),
                (Column::Text(cells), Cell::Text(value)) => cells.push(value),
                (Column::Bool(cells), Cell::Bool(value)) => cells.push(value),
                (column, cell) => panic!("column {name} holds {column:?}, not {cell:?}"),
            }
        }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the column with a name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|(column, _)| *column == name).map(|(_, column)| column)
    }
}
