//! The planned steps, and which must finish before which.

use std::collections::{BTreeSet, HashMap};

use crate::read::output::StepKind;
use crate::read::plan::Plan;

/// The planned steps by number.
#[derive(Debug)]
pub(crate) struct Steps {
    index: HashMap<String, usize>,
    steps: Vec<Step>,
}

/// One planned step. Nodes that share an id (which is a failure) are one step.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) id: String,
    pub(crate) kinds: Vec<StepKind>,
    /// Steps that must have finished before this one starts.
    pub(crate) before: BTreeSet<usize>,
}

impl Steps {
    pub(crate) fn of(plan: &Plan) -> Self {
        let mut index = HashMap::new();
        let mut steps: Vec<Step> = Vec::new();
        for node in &plan.nodes {
            let number = *index.entry(node.name.id.to_string()).or_insert(steps.len());
            match steps.get_mut(number) {
                Some(step) => step.kinds.push(node.kind),
                None => steps.push(Step {
                    id: node.name.id.to_string(),
                    kinds: vec![node.kind],
                    before: BTreeSet::new(),
                }),
            }
        }
        let mut planned = Self { index, steps };
        for node in &plan.nodes {
            for dependency in &node.dependencies {
                planned.link(dependency, &node.name.id);
            }
        }
        for (from, to) in &plan.edges {
            planned.link(from, to);
        }
        planned
    }

    fn link(&mut self, from: &str, to: &str) {
        if let (Some(from), Some(to)) = (self.number(from), self.number(to))
            && let Some(step) = self.steps.get_mut(to)
        {
            step.before.insert(from);
        }
    }

    /// The number of a step, if it is planned.
    pub(crate) fn number(&self, id: &str) -> Option<usize> {
        self.index.get(id).copied()
    }

    pub(crate) fn get(&self, number: usize) -> Option<&Step> {
        self.steps.get(number)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Step> + Clone {
        self.steps.iter()
    }

    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// A step that depends on itself, directly or through others.
    pub(crate) fn find_cycle(&self) -> Option<&Step> {
        let mut waiting: Vec<usize> = self.steps.iter().map(|step| step.before.len()).collect();
        let mut after: Vec<Vec<usize>> = vec![Vec::new(); self.steps.len()];
        for (number, step) in self.steps.iter().enumerate() {
            for &before in &step.before {
                if let Some(list) = after.get_mut(before) {
                    list.push(number);
                }
            }
        }
        let mut free: Vec<usize> = (0..self.steps.len())
            .filter(|number| waiting.get(*number) == Some(&0))
            .collect();
        while let Some(done) = free.pop() {
            for &next in after.get(done).into_iter().flatten() {
                if let Some(count) = waiting.get_mut(next) {
                    *count -= 1;
                    if *count == 0 {
                        free.push(next);
                    }
                }
            }
        }
        self.steps
            .iter()
            .zip(&waiting)
            .find(|(_, count)| **count > 0)
            .map(|(step, _)| step)
    }
}
