//! Tests of the simulator's public interface, in one program, so that the crates under it are linked once.

mod common;

mod applications;
mod buffers;
mod congestion_controls;
mod datagrams;
mod extremes;
mod foreign_flow;
mod foreign_stack;
mod foreign_transport;
mod invariants;
mod links;
mod marking;
mod network;
mod offload;
mod policer;
mod registered;
mod run;
mod series;
mod theory;
mod topology;
mod verify;
mod world;
mod xcp;
