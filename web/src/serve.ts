export * from "./draw";
