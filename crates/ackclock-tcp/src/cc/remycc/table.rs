//! The table: a tree of ranges of the memory, with an action at each leaf.

/// Axes of the memory: send_ewma and ack_ewma in milliseconds, rtt_ratio, slow_ack_ewma in milliseconds.
pub const AXES: usize = 4;

/// A range of the memory, `lower <= value < upper` on each axis in use.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Range {
    /// The least values.
    pub lower: [f64; AXES],
    /// The values that are no longer within.
    pub upper: [f64; AXES],
}

impl Range {
    fn contains(&self, memory: &[f64; AXES], axes: usize) -> bool {
        (0..axes).all(|axis| self.lower[axis] <= memory[axis] && memory[axis] < self.upper[axis])
    }
}

/// What an ACK does: `cwnd = multiple * cwnd + increment`, in segments, and the least time between two segments.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Action {
    /// b, segments.
    pub increment: i32,
    /// m.
    pub multiple: f64,
    /// tau, milliseconds.
    pub intersend: f64,
}

/// A part of the tree.
#[derive(Clone, PartialEq, Debug)]
pub enum Node {
    /// Ranges that together are that of the node.
    Inner(Range, Vec<Node>),
    /// A rule.
    Leaf(Range, Action),
}

impl Node {
    /// Its range.
    pub fn range(&self) -> &Range {
        match self {
            Node::Inner(range, _) | Node::Leaf(range, _) => range,
        }
    }

    /// What is wrong with it, if anything: `depth` is where it stands in the tree.
    fn check(&self, axes: usize, depth: usize) -> Result<(), String> {
        let range = self.range();
        for axis in 0..axes {
            let (lower, upper) = (range.lower[axis], range.upper[axis]);
            if !(lower.is_finite() && upper.is_finite() && lower <= upper) {
                return Err(format!(
                    "a range from {lower} to {upper} at depth {depth}; accepted are finite ones that do not descend"
                ));
            }
        }
        match self {
            Node::Inner(_, children) => Self::check_children(range, children, axes, depth),
            Node::Leaf(_, action) if action.multiple.is_finite() && action.multiple >= 0.0 => {
                if action.intersend.is_finite() && action.intersend >= 0.0 {
                    return Ok(());
                }
                Err(format!("{} ms between segments at depth {depth}; accepted is 0 and more", action.intersend))
            }
            Node::Leaf(_, action) => {
                Err(format!("a window multiple of {} at depth {depth}; accepted is 0 and more", action.multiple))
            }
        }
    }

    fn check_children(range: &Range, children: &[Node], axes: usize, depth: usize) -> Result<(), String> {
        let volume = |inner: &Range| -> f64 {
            (0..axes)
                .map(|axis| (inner.upper[axis] - inner.lower[axis]) / (range.upper[axis] - range.lower[axis]))
                .product()
        };
        for child in children {
            let inner = child.range();
            if (0..axes).any(|axis| inner.lower[axis] < range.lower[axis] || inner.upper[axis] > range.upper[axis]) {
                return Err(format!("a range that is not within the one above it at depth {depth}"));
            }
            child.check(axes, depth + 1)?;
        }
        // Optimisation has cut some ranges to nothing.
        if (0..axes).any(|axis| range.lower[axis] == range.upper[axis]) {
            return Ok(());
        }
        let covered: f64 = children.iter().map(|child| volume(child.range())).sum();
        if (covered - 1.0).abs() > 1e-9 {
            return Err(format!(
                "ranges that are {covered} of the one above them at depth {depth}; accepted is all of it"
            ));
        }
        Ok(())
    }
}

/// A table: from what the sender remembers to what it does.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    root: Node,
    axes: usize,
    /// What tells of the training, as it was read.
    pub(super) notes: Vec<u8>,
}

impl Table {
    /// A table of that tree over the first `axes` axes: three, or four with slow_ack_ewma.
    ///
    /// # Errors
    ///
    /// Says what is wrong with a tree whose parts are not within and all of what is above them, or whose actions are not finite.
    pub fn new(root: Node, axes: usize) -> Result<Table, String> {
        if !(3..=AXES).contains(&axes) {
            return Err(format!("{axes} axes; accepted are 3 and {AXES}"));
        }
        root.check(axes, 0)?;
        Ok(Table { root, axes, notes: Vec::new() })
    }

    /// The tree.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// How many axes of the memory it looks at.
    pub fn axes(&self) -> usize {
        self.axes
    }

    /// The action for what is remembered; beyond the table's range that of its edge.
    pub fn find(&self, mut memory: [f64; AXES]) -> Action {
        let range = self.root.range();
        for (axis, value) in memory.iter_mut().enumerate().take(self.axes) {
            *value = value.min(range.upper[axis].next_down()).max(range.lower[axis]);
        }
        let mut node = &self.root;
        loop {
            match node {
                Node::Leaf(_, action) => return *action,
                Node::Inner(_, children) => {
                    // Where two ranges meet to a rounding error and leave a gap, the last stands in.
                    let found = children.iter().find(|child| child.range().contains(&memory, self.axes));
                    node = found.unwrap_or(&children[children.len() - 1]);
                }
            }
        }
    }
}
