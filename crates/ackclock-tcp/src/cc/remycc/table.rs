//! The table: a tree of ranges of the memory, with an action at each leaf.

/// Axes of the memory: send_ewma and ack_ewma in milliseconds, rtt_ratio, slow_ack_ewma in milliseconds.
pub const AXES: usize = 4;

/// A range of the memory, `lower <= value < upper` on each axis in use.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Range {
    /// Lower bounds, included.
    pub lower: [f64; AXES],
    /// Upper bounds, excluded.
    pub upper: [f64; AXES],
}

impl Range {
    fn contains(&self, memory: &[f64; AXES], axes: usize) -> bool {
        (0..axes).all(|axis| self.lower[axis] <= memory[axis] && memory[axis] < self.upper[axis])
    }
}

/// Action at an ACK: `cwnd = multiple * cwnd + increment`, in segments, and the smallest time between two segments.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Action {
    /// Increment b, segments.
    pub increment: i32,
    /// Factor m.
    pub multiple: f64,
    /// Time tau, milliseconds.
    pub intersend: f64,
}

/// A node of the tree.
#[derive(Clone, PartialEq, Debug)]
pub enum Node {
    /// Nodes whose ranges together are the range of this node.
    Inner(Range, Vec<Node>),
    /// A rule: an action for a range of the memory.
    Leaf(Range, Action),
}

impl Node {
    /// Range of the node.
    pub fn range(&self) -> &Range {
        match self {
            Node::Inner(range, _) | Node::Leaf(range, _) => range,
        }
    }

    /// Checks the node and its children; `depth` is the node's depth in the tree.
    fn check(&self, axes: usize, depth: usize) -> Result<(), String> {
        let range = self.range();
        for axis in 0..axes {
            let (lower, upper) = (range.lower[axis], range.upper[axis]);
            if !(lower.is_finite() && upper.is_finite() && lower <= upper) {
                return Err(format!(
                    "the range {lower} to {upper} at depth {depth} is not valid; its bounds must be finite and must not descend"
                ));
            }
        }
        match self {
            Node::Inner(_, children) => Self::check_children(range, children, axes, depth),
            Node::Leaf(_, action) if action.multiple.is_finite() && action.multiple >= 0.0 => {
                if action.intersend.is_finite() && action.intersend >= 0.0 {
                    return Ok(());
                }
                Err(format!("{} ms between segments at depth {depth}; accepted: 0 or more", action.intersend))
            }
            Node::Leaf(_, action) => {
                Err(format!("a window multiple of {} at depth {depth}; accepted: 0 or more", action.multiple))
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
                return Err(format!(
                    "a child of the node at depth {depth} has a range that is not within that of the node"
                ));
            }
            child.check(axes, depth + 1)?;
        }
        // Optimisation has reduced some ranges to nothing.
        if (0..axes).any(|axis| range.lower[axis] == range.upper[axis]) {
            return Ok(());
        }
        let covered: f64 = children.iter().map(|child| volume(child.range())).sum();
        if (covered - 1.0).abs() > 1e-9 {
            return Err(format!(
                "the children of the node at depth {depth} cover {covered} of its range; they must cover all of it"
            ));
        }
        Ok(())
    }
}

/// A table of rules: an action for each range of the memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    root: Node,
    axes: usize,
    /// Fields about the training, as they were read.
    pub(super) notes: Vec<u8>,
}

impl Table {
    /// A table with the tree `root` over the first `axes` axes: three, or four with slow_ack_ewma.
    ///
    /// # Errors
    ///
    /// A message if children do not cover exactly the range of their parent, or if ranges or actions are not valid.
    pub fn new(root: Node, axes: usize) -> Result<Table, String> {
        if !(3..=AXES).contains(&axes) {
            return Err(format!("{axes} axes; accepted: 3 or {AXES}"));
        }
        root.check(axes, 0)?;
        Ok(Table { root, axes, notes: Vec::new() })
    }

    /// Root of the tree.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// Number of axes of the memory that the table uses.
    pub fn axes(&self) -> usize {
        self.axes
    }

    /// Action for a memory. A memory beyond the table's range is moved to the edge of the range.
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
                    // Rounding errors may leave a gap between ranges; the last range then applies.
                    let found = children.iter().find(|child| child.range().contains(&memory, self.axes));
                    node = found.unwrap_or(&children[children.len() - 1]);
                }
            }
        }
    }
}
