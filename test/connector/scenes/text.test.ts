import { playScenes } from "./play-scenes.ts";
import { text } from "./scenes/text.ts";

playScenes(text);
