import { playScenes } from "./play-scenes.ts";
import { elicitations } from "./scenes/elicitations.ts";

playScenes(elicitations);
