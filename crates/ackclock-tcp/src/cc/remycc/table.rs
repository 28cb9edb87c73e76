//! The table: a tree of ranges of the memory, with an action at each leaf.

/// Axes of the memory: send_ewma and ack_ewma in milliseconds, rtt_ratio, slow_ack_ewma in milliseconds.
pub const AXES: usize = 4;

/// Most children of a node. A split of all axes at one value each makes 16.
const MOST_CHILDREN: usize = 256;
/// Part of a range that children may leave out or have twice, as bounds are rounded.
const ROUNDING: f64 = 1e-9;

/// A range of the memory, `lower <= value < upper` on each axis in use.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Range {
    /// Lower bounds, included.
    pub lower: [f64; AXES],
    /// Upper bounds, excluded.
    pub upper: [f64; AXES],
}

impl Range {
    /// Part that both ranges have in common; a range from a value to itself on an axis that has none.
    fn common(&self, other: &Range) -> Range {
        let lower = std::array::from_fn(|axis| self.lower[axis].max(other.lower[axis]));
        Range { lower, upper: std::array::from_fn(|axis| self.upper[axis].min(other.upper[axis]).max(lower[axis])) }
    }

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
        if children.len() > MOST_CHILDREN {
            let count = children.len();
            return Err(format!("the node at depth {depth} has {count} children; accepted: at most {MOST_CHILDREN}"));
        }
        for (index, child) in children.iter().enumerate() {
            let inner = child.range();
            if (0..axes).any(|axis| inner.lower[axis] < range.lower[axis] || inner.upper[axis] > range.upper[axis]) {
                return Err(format!(
                    "a child of the node at depth {depth} has a range that is not within that of the node"
                ));
            }
            for other in &children[..index] {
                if volume(&inner.common(other.range())) > ROUNDING {
                    return Err(format!(
                        "two children of the node at depth {depth} overlap; a memory must be in the range of one of them"
                    ));
                }
            }
            child.check(axes, depth + 1)?;
        }
        // Optimisation has reduced some ranges to nothing.
        if (0..axes).any(|axis| range.lower[axis] == range.upper[axis]) {
            return Ok(());
        }
        let covered: f64 = children.iter().map(|child| volume(child.range())).sum();
        // Bounds near the largest number make the volume no number at all.
        if covered.is_nan() || (covered - 1.0).abs() > ROUNDING {
            return Err(format!(
                "the children of the node at depth {depth} cover {covered} of its range; they must cover all of it"
            ));
        }
        Ok(())
    }
}

/// A node of the tree in the order of the levels, in which the children of a node follow each other.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Place {
    range: Range,
    /// First child and number of children; a leaf has its rule and 0.
    first: u32,
    children: u32,
}

/// A table of rules: an action for each range of the memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    root: Node,
    axes: usize,
    places: Vec<Place>,
    /// Actions in the order of the leaves in the tree.
    actions: Vec<Action>,
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
        let mut table = Table { root, axes, places: Vec::new(), actions: Vec::new(), notes: Vec::new() };
        let blank = Place { range: *table.root.range(), first: 0, children: 0 };
        table.places.push(blank);
        place(&table.root, 0, &mut table.places, &mut table.actions);
        Ok(table)
    }

    /// Root of the tree.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// Number of axes of the memory that the table uses.
    pub fn axes(&self) -> usize {
        self.axes
    }

    /// Actions of the rules, which are numbered in the order of the leaves in the tree.
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// Action for a memory. A memory beyond the table's range is moved to the edge of the range.
    pub fn find(&self, memory: [f64; AXES]) -> Action {
        self.actions[self.rule(memory)]
    }

    /// Number of the rule for a memory: its place in [`Table::actions`].
    pub fn rule(&self, mut memory: [f64; AXES]) -> usize {
        let range = &self.places[0].range;
        for (axis, value) in memory.iter_mut().enumerate().take(self.axes) {
            *value = value.min(range.upper[axis].next_down()).max(range.lower[axis]);
        }
        let mut at = &self.places[0];
        while at.children > 0 {
            let children = &self.places[at.first as usize..][..at.children as usize];
            // Rounding errors may leave a gap between ranges; the last range then applies.
            let found = children.iter().find(|child| child.range.contains(&memory, self.axes));
            at = found.unwrap_or(&children[children.len() - 1]);
        }
        at.first as usize
    }
}

/// Fills in the place of a node, and adds those of all nodes below it.
fn place(node: &Node, at: usize, places: &mut Vec<Place>, actions: &mut Vec<Action>) {
    match node {
        Node::Leaf(_, action) => {
            places[at].first = actions.len() as u32;
            actions.push(*action);
        }
        Node::Inner(_, children) => {
            let first = places.len();
            (places[at].first, places[at].children) = (first as u32, children.len() as u32);
            places.extend(children.iter().map(|child| Place { range: *child.range(), first: 0, children: 0 }));
            for (index, child) in children.iter().enumerate() {
                place(child, first + index, places, actions);
            }
        }
    }
}
