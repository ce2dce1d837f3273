// The parts that know no page, as "make console" builds them into the folder UNITS.

import { join } from "node:path";
import { pathToFileURL } from "node:url";

export const unit = (name) => import(pathToFileURL(join(process.env.UNITS, name + ".mjs")));
