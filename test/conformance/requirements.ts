import { connectionRequirements } from "./requirements/connection.ts";
import { httpRequirements } from "./requirements/http.ts";
import { modelRequirements } from "./requirements/model.ts";
import { promptRequirements } from "./requirements/prompt.ts";
import { runRequirements } from "./requirements/run.ts";
import { sessionRequirements } from "./requirements/session.ts";

/** All that is promised; each is shown by at least one scenario (`coverage.test.ts`). */
export const requirements = {
	...connectionRequirements,
	...sessionRequirements,
	...runRequirements,
	...modelRequirements,
	...promptRequirements,
	...httpRequirements,
};

export type RequirementId = keyof typeof requirements;
