import { connectionRequirements } from "./requirements/connection.ts";
import { envelopeRequirements } from "./requirements/envelope.ts";
import { fileRequirements } from "./requirements/file.ts";
import { httpRequirements } from "./requirements/http.ts";
import { modelRequirements } from "./requirements/model.ts";
import { operatingRequirements } from "./requirements/operating.ts";
import { promptRequirements } from "./requirements/prompt.ts";
import { questionRequirements } from "./requirements/question.ts";
import { runRequirements } from "./requirements/run.ts";
import { sessionRequirements } from "./requirements/session.ts";
import { sessionListRequirements } from "./requirements/session-list.ts";

/** All that is promised; each is shown by at least one scenario (`coverage.test.ts`). */
export const requirements = {
	...connectionRequirements,
	...sessionRequirements,
	...runRequirements,
	...modelRequirements,
	...promptRequirements,
	...questionRequirements,
	...httpRequirements,
	...envelopeRequirements,
	...operatingRequirements,
	...fileRequirements,
	...sessionListRequirements,
};

export type RequirementId = keyof typeof requirements;
