import { playScenes } from "./play-scenes.ts";
import { intake } from "./scenes/intake.ts";

playScenes(intake);
