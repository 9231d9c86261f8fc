import { playScenes } from "./play-scenes.ts";
import { access } from "./scenes/access.ts";

playScenes(access);
