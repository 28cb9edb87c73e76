// The drawing code that every page shares: a report, `ackclock serve`, and pages without a server.

export type { Figure, Series } from "./model";
export { Plot, plot } from "./plot";
export { saveable, saveAll, saveTable } from "./save";
