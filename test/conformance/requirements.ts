import { auditRequirements } from "./requirements/audit.ts";
import { connectionRequirements } from "./requirements/connection.ts";
import { connectorRequirements } from "./requirements/connectors.ts";
import { envelopeRequirements } from "./requirements/envelope.ts";
import { fileRequirements } from "./requirements/file.ts";
import { grantRequirements } from "./requirements/grants.ts";
import { httpRequirements } from "./requirements/http.ts";
import { kontekstRequirements } from "./requirements/kontekst.ts";
import { memoryRequirements } from "./requirements/memories.ts";
import { modelRequirements } from "./requirements/model.ts";
import { operatingRequirements } from "./requirements/operating.ts";
import { peopleRequirements } from "./requirements/people.ts";
import { policyRequirements } from "./requirements/policy.ts";
import { promptRequirements } from "./requirements/prompt.ts";
import { questionRequirements } from "./requirements/question.ts";
import { rozRequirements } from "./requirements/roz.ts";
import { runRequirements } from "./requirements/run.ts";
import { sandboxRequirements } from "./requirements/sandbox.ts";
import { scheduleRequirements } from "./requirements/schedules.ts";
import { sessionRequirements } from "./requirements/session.ts";
import { sessionListRequirements } from "./requirements/session-list.ts";
import { skillRequirements } from "./requirements/skills.ts";
import { taskRequirements } from "./requirements/tasks.ts";
import { tokenRequirements } from "./requirements/tokens.ts";
import { zotCommandRequirements } from "./requirements/zot-commands.ts";
import { zotEndingRequirements } from "./requirements/zot-endings.ts";
import { zotEventRequirements } from "./requirements/zot-events.ts";
import { zotLineRequirements } from "./requirements/zot-lines.ts";
import { zotProcessRequirements } from "./requirements/zot-process.ts";

export const requirements = {
	...connectionRequirements,
	...connectorRequirements,
	...sessionRequirements,
	...skillRequirements,
	...runRequirements,
	...memoryRequirements,
	...modelRequirements,
	...peopleRequirements,
	...policyRequirements,
	...promptRequirements,
	...questionRequirements,
	...httpRequirements,
	...envelopeRequirements,
	...operatingRequirements,
	...auditRequirements,
	...fileRequirements,
	...grantRequirements,
	...sessionListRequirements,
	...sandboxRequirements,
	...scheduleRequirements,
	...taskRequirements,
	...tokenRequirements,
	...zotCommandRequirements,
	...zotEndingRequirements,
	...zotEventRequirements,
	...zotLineRequirements,
	...zotProcessRequirements,
	...kontekstRequirements,
	...rozRequirements,
};

export type RequirementId = keyof typeof requirements;
