/* official_host.mjs - in the browser: a host made of the official AppBridge. The driver gives it a page
   and results; window.seen is what it was told, in order. */
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

window.seen = [];
const note = (what, params) => { window.seen.push({ what, params }); };

window.show = async ({ src, context, capabilities, tool, args, result }) => {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.style.cssText = 'border:0; width:100%; height:40px; display:block';
  const bridge = new AppBridge(null, { name: 'official', version: '2' }, capabilities,
    { hostContext: { ...context, toolInfo: { id: 1, tool } } });
  const call = (method) => async (params) => {
    note(method, params);
    return window.ask(method, params); /* the driver's: to the server */
  };
  bridge.oncalltool = call('tools/call');
  bridge.onreadresource = call('resources/read');
  bridge.onmessage = async (params) => { note('message', params); return {}; };
  bridge.onopenlink = async (params) => {
    note('open-link', params);
    return params.url.startsWith('https:') ? {} : { isError: true };
  };
  bridge.ondownloadfile = async (params) => { note('download', params); return {}; };
  bridge.onupdatemodelcontext = async (params) => { note('context', params); return {}; };
  bridge.onrequestdisplaymode = async ({ mode }) => {
    note('display-mode', { mode });
    bridge.setHostContext({ ...bridge.hostContextNow, displayMode: mode });
    return { mode };
  };
  bridge.onsizechange = (params) => {
    note('size', params);
    frame.style.height = `${params.height}px`;
  };
  bridge.onloggingmessage = (params) => note('log', params);
  bridge.onrequestteardown = (params) => note('request-teardown', params);
  const initialized = new Promise((done) => { bridge.oninitialized = () => { note('initialized'); done(); }; });
  document.body.replaceChildren(frame);
  bridge.hostContextNow = { ...context, toolInfo: { id: 1, tool } };
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.src = src;
  await initialized;
  note('app', { ...bridge.getAppVersion(), ...bridge.getAppCapabilities() });
  await bridge.sendToolInput({ arguments: args });
  if (result) await bridge.sendToolResult(result);
  Object.assign(window, { bridge, frame });
};
window.turn = (news) => {
  window.bridge.hostContextNow = { ...window.bridge.hostContextNow, ...news };
  window.bridge.setHostContext(window.bridge.hostContextNow);
};
window.end = async () => {
  const answer = await window.bridge.teardownResource({ reason: 'the test ends' });
  window.frame.remove();
  return answer;
};
