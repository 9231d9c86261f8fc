import type { ControlKind } from "../controls/control-kind.ts";
import { pressesOfAnswers } from "./answers.ts";
import { pressesOfCards } from "./cards.ts";
import { pressesOfListed } from "./listed.ts";
import type { PressHandlers } from "./press.ts";
import { pressesOfQuestions } from "./questions.ts";
import { pressesOfTasks } from "./tasks.ts";
import { pressesOfTrust } from "./trust.ts";

/** What each press does. A kind that is missing does not compile. */
export const pressTable: PressHandlers<ControlKind> = {
	...pressesOfAnswers,
	...pressesOfQuestions,
	...pressesOfCards,
	...pressesOfListed,
	...pressesOfTasks,
	...pressesOfTrust,
};
