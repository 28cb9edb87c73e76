export { Path as Path2D } from "./path";
