import { playScenes } from "./play-scenes.ts";
import { approvals } from "./scenes/approvals.ts";

playScenes(approvals);
