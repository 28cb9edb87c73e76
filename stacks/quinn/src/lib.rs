//! The transport `quinn` as a shared library: `transport = { kind = "quinn", library = "libquinn.so" }`.

ackclock_transport::export!(ackclock_quinn::stack());
