// The studies that the page can run.

import { iw10 } from "./iw10";
import { munirFairness } from "./munir-fairness";
import { newcwvDash } from "./newcwv-dash";
import type { Study } from "./study";

export const STUDIES: readonly Study[] = [newcwvDash, iw10, munirFairness];
