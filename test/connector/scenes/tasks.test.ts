import { playScenes } from "./play-scenes.ts";
import { tasks } from "./scenes/tasks.ts";

playScenes(tasks);
