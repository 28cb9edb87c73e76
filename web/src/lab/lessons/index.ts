// The lessons, in their order.

import { aqm } from "./aqm";
import { buffers } from "./buffers";
import { fairness } from "./fairness";
import type { Lesson } from "./lesson";
import { loss } from "./loss";
import { own } from "./own";
import { slowStart } from "./slow-start";

export const LESSONS: readonly Lesson[] = [slowStart, fairness, buffers, loss, aqm, own];
