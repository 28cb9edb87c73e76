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
    /// Number of cells.
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

/// A cell on its way into a table.
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

macro_rules! cell_from {
    ($($type:ty => $variant:ident as $to:ty),* $(,)?) => {$(
        impl From<$type> for Cell {
            fn from(value: $type) -> Cell { Cell::$variant(Some(value as $to)) }
        }
        impl From<Option<$type>> for Cell {
            fn from(value: Option<$type>) -> Cell { Cell::$variant(value.map(|value| value as $to)) }
        }
    )*};
}
cell_from!(u64 => Int as i64, u32 => Int as i64, usize => Int as i64, i64 => Int as i64, f64 => Float as f64, bool => Bool as bool);

impl From<&str> for Cell {
    fn from(value: &str) -> Cell {
        Cell::Text(Some(value.to_owned()))
    }
}

/// A table. The first row decides the columns; every later row has the same names and types in the same order.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Table {
    /// Column names and values.
    pub columns: Vec<(&'static str, Column)>,
}

impl Table {
    /// Appends a row.
    ///
    /// # Panics
    /// If the row's names or types differ from those before it.
    pub fn push<const N: usize>(&mut self, row: [(&'static str, Cell); N]) {
        if self.columns.is_empty() {
            self.columns = row
                .iter()
                .map(|(name, cell)| {
                    let column = match cell {
                        Cell::Int(_) => Column::Int(Vec::new()),
                        Cell::Float(_) => Column::Float(Vec::new()),
                        Cell::Text(_) => Column::Text(Vec::new()),
                        Cell::Bool(_) => Column::Bool(Vec::new()),
                    };
                    (*name, column)
                })
                .collect();
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

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The column of a name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|(column, _)| *column == name).map(|(_, column)| column)
    }
}
