//! Results as tables: named columns of equal length.

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

impl Cell {
    /// Returns an empty column for cells of this type.
    fn column(&self) -> Column {
        match self {
            Cell::Int(_) => Column::INT,
            Cell::Float(_) => Column::FLOAT,
            Cell::Text(_) => Column::TEXT,
            Cell::Bool(_) => Column::BOOL,
        }
    }
}

macro_rules! cell_from {
    ($($type:ty => $variant:ident as $to:ty),* $(,)?) => {$(
        impl From<$type> for Cell {
            fn from(value: $type) -> Cell { Cell::from(Some(value)) }
        }
        impl From<Option<$type>> for Cell {
            fn from(value: Option<$type>) -> Cell { Cell::$variant(value.map(|value| value as $to)) }
        }
    )*};
}
cell_from!(u32 => Int as i64, i64 => Int as i64, f64 => Float as f64, bool => Bool as bool);

// Counts beyond the largest integer of a column, such as an ssthresh without a limit, are shown as that integer.
impl From<Option<u64>> for Cell {
    fn from(value: Option<u64>) -> Cell {
        Cell::Int(value.map(|value| i64::try_from(value).unwrap_or(i64::MAX)))
    }
}

impl From<u64> for Cell {
    fn from(value: u64) -> Cell {
        Cell::from(Some(value))
    }
}

impl From<usize> for Cell {
    fn from(value: usize) -> Cell {
        Cell::from(value as u64)
    }
}

impl From<&str> for Cell {
    fn from(value: &str) -> Cell {
        Cell::Text(Some(value.to_owned()))
    }
}

/// A table. The first row determines the columns; every later row has the same names and types in the same order.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Table {
    /// Column names and values.
    pub columns: Vec<(&'static str, Column)>,
}

impl Table {
    /// Creates a table with these columns, which it has even without rows.
    pub fn of<const N: usize>(columns: [(&'static str, Column); N]) -> Table {
        Table { columns: columns.into() }
    }

    /// Appends a row.
    ///
    /// # Panics
    /// If the row's names or types differ from those of the rows before.
    pub fn push<const N: usize>(&mut self, row: [(&'static str, Cell); N]) {
        if self.columns.is_empty() {
            *self = Table::of(row.each_ref().map(|(name, cell)| (*name, cell.column())));
        }
        assert_eq!(self.columns.len(), N, "a row has the columns of the table");
        for ((name, column), (cell_name, cell)) in self.columns.iter_mut().zip(row) {
            assert_eq!(*name, cell_name, "a row names its columns in the order of the table");
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
