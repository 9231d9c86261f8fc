import type { ControlKind } from "./control-kind.ts";
import type { PressHandlers } from "./press.ts";
import { pressesOfAnswers } from "./presses-of-answers.ts";
import { pressesOfCards } from "./presses-of-cards.ts";
import { pressesOfListed } from "./presses-of-listed.ts";
import { pressesOfQuestions } from "./presses-of-questions.ts";
import { pressesOfTasks } from "./presses-of-tasks.ts";
import { pressesOfTrust } from "./presses-of-trust.ts";

/** What each press does. A kind that is missing does not compile. */
export const pressTable: PressHandlers<ControlKind> = {
	...pressesOfAnswers,
	...pressesOfQuestions,
	...pressesOfCards,
	...pressesOfListed,
	...pressesOfTasks,
	...pressesOfTrust,
};
