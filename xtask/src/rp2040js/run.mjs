// Runs an RP2040's firmware in rp2040js and shows each picture that it sends to an ST7789 on SPI0.
//
//   node run.mjs '{"elf": …, "rom": … or null, "folder": …, "frames": …, "width": …, "height": …, "dc": …, "record": …}'
//
// Prints a line of JSON a frame, and writes its pixels (RGB565, low byte first) to folder/N.rgb565. A frame ends
// with its last pixel, so the first one contains the start-up. folder/counts.bin: how often each halfword of the flash
// was executed in the last frame, and in its last word how often the ROM was, all 32 bits. With "record", the bytes that
// the firmware sends over UART0 go to folder/recording.bin, and its SysTick counts instructions instead of cycles.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const modules = path.join(process.cwd(), 'node_modules/rp2040js/dist/esm');
const load = (file) => import(pathToFileURL(path.join(modules, file)));
const { RP2040, ConsoleLogger, LogLevel, GPIOPinState } = await load('index.js');
const { SimulationClock } = await load('clock/simulation-clock.js');

const FLASH = 0x10000000, BOOT2_BYTES = 0x100, RAM_END = 0x20042000;
// Instructions after which a firmware that shows nothing counts as hung.
const PATIENCE = 100e6;

const options = JSON.parse(process.argv[2]);
const elf = fs.readFileSync(options.elf);
const clock = new SimulationClock();
const mcu = new RP2040(clock);
mcu.logger = new ConsoleLogger(LogLevel.Error);
if (options.rom) {
  const words = fs.readFileSync(options.rom);
  mcu.loadBootrom(new Uint32Array(words.buffer, words.byteOffset, words.length / 4));
}

// Segments that are loaded go to the flash, at their physical addresses.
const header = { table: elf.readUInt32LE(28), size: elf.readUInt16LE(42), count: elf.readUInt16LE(44) };
for (let i = 0; i < header.count; i++) {
  const [type, from, , to, bytes] = [0, 4, 8, 12, 16].map((at) => elf.readUInt32LE(header.table + i * header.size + at));
  if (type === 1 && bytes && to >= FLASH) mcu.flash.set(elf.subarray(from, from + bytes), to - FLASH);
}

// The display: column and page windows, and pixels that fill them row by row. D/C is high for data.
const { width, height } = options;
const picture = new Uint16Array(width * height);
let dataNext = false, command = 0, parameters = [], columns = [0, width - 1], rows = [0, height - 1];
let x = 0, y = 0, high = -1, pixels = 0, wireNanos = 0;
mcu.gpio[options.dc].addListener((state) => { dataNext = state === GPIOPinState.High; });

function parameter(byte) {
  parameters.push(byte);
  if (parameters.length !== 4) return;
  const window = [parameters[0] << 8 | parameters[1], parameters[2] << 8 | parameters[3]];
  if (command === 0x2a) columns = window;
  else rows = window;
}

function pixel(byte) {
  if (high < 0) {
    high = byte;
    return;
  }
  if (x < width && y < height) picture[y * width + x] = high << 8 | byte;
  high = -1;
  pixels++;
  if (++x <= columns[1]) return;
  x = columns[0];
  if (++y > rows[1]) y = rows[0];
}

function received(byte) {
  if (!dataNext) {
    // 0 is no operation: it ends a write, and pads commands to whole words.
    [command, parameters, high] = [byte, [], -1];
    if (command === 0x2c) [x, y] = [columns[0], rows[0]];
  } else if (command === 0x2a || command === 0x2b) parameter(byte);
  else if (command === 0x2c) pixel(byte);
}

// A word takes its bits' time on the wire, and DMA is paced by that.
const spi = mcu.spi[0];
const sent = clock.createAlarm(() => spi.completeTransmit(0));
spi.onTransmit = (word) => {
  if (spi.dataBits > 8) received(word >> 8 & 0xff);
  received(word & 0xff);
  const nanos = spi.dataBits * 1e9 / (spi.clockFrequency || 1e6);
  wireNanos += nanos;
  sent.schedule(nanos);
};

// After boot2: stack pointer, entry and vectors of the program.
const { core } = mcu;
core.VTOR = FLASH + BOOT2_BYTES;
core.SP = mcu.flashView.getUint32(BOOT2_BYTES, true);
core.PC = mcu.flashView.getUint32(BOOT2_BYTES + 4, true) & ~1;
const fail = (what) => {
  console.error(`${what} at pc 0x${core.PC.toString(16)}, lr 0x${core.LR.toString(16)}`);
  process.exit(1);
};
mcu.onBreak = () => fail('breakpoint: the firmware panicked');

const counts = new Uint32Array((mcu.flash.length >> 1) + 1);
const recorded = [];
if (options.record) {
  mcu.uart[0].onByte = (byte) => recorded.push(byte);
  Object.defineProperty(mcu.ppb.systickTimer, 'counter', { get: () => ~instructions & 0xffffff });
}

let instructions = 0, sleepNanos = 0, deepest = core.SP, frame = 0, mark = { instructions: 0, nanos: 0, sleep: 0, wire: 0 };
const stackStart = core.SP;
while (frame < options.frames) {
  if (core.waiting) {
    const nanos = clock.nanosToNextAlarm || 1000;
    sleepNanos += nanos;
    clock.tick(nanos);
    continue;
  }
  if (frame === options.frames - 1) {
    const at = core.PC - FLASH >>> 1;
    counts[at < counts.length - 1 ? at : counts.length - 1]++;
  }
  clock.tick(core.executeInstruction() * 1e9 / mcu.clkSys);
  instructions++;
  if (core.SP < deepest) deepest = core.SP;
  if (instructions - mark.instructions > PATIENCE) fail('no picture: the firmware hangs');
  if (pixels < width * height) continue;
  const now = { instructions, nanos: clock.nanos, sleep: sleepNanos, wire: wireNanos };
  const since = (what) => now[what] - mark[what];
  fs.writeFileSync(path.join(options.folder, `${frame}.rgb565`), picture);
  console.log(JSON.stringify({
    instructions: since('instructions'), micros: Math.round(since('nanos') / 1e3),
    asleep_micros: Math.round(since('sleep') / 1e3), wire_micros: Math.round(since('wire') / 1e3),
    stack: stackStart - deepest,
  }));
  [mark, pixels] = [now, 0];
  frame++;
}
fs.writeFileSync(path.join(options.folder, 'counts.bin'), counts);
if (options.record) fs.writeFileSync(path.join(options.folder, 'recording.bin'), Uint8Array.from(recorded));
