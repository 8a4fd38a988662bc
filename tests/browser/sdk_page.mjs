/* sdk_page.mjs - in the browser: a page made with the official SDK's App, which shows what it is told and
   asks for what the driver wants */
import { App, applyDocumentTheme, applyHostFonts, applyHostStyleVariables } from '@modelcontextprotocol/ext-apps';

const app = new App({ name: 'sdk', version: '2' }, { availableDisplayModes: ['inline', 'fullscreen'] });
const told = window.told = [];
app.ontoolinput = (params) => told.push({ what: 'input', params });
app.ontoolinputpartial = (params) => told.push({ what: 'partial', params });
app.ontoolresult = (params) => { told.push({ what: 'result', params }); document.body.dataset.done = ''; };
app.ontoolcancelled = (params) => told.push({ what: 'cancelled', params });
app.onhostcontextchanged = (params) => {
  told.push({ what: 'context', params });
  if (params.theme) applyDocumentTheme(params.theme);
  if (params.styles && params.styles.variables) applyHostStyleVariables(params.styles.variables);
};
app.onteardown = async (params) => { await app.sendLog({ level: 'info', data: 'bye' }); told.push({ what: 'teardown', params }); return {}; };
app.connect().then(() => {
  applyHostFonts(app.getHostContext().styles.css.fonts);
  told.push({ what: 'host', params: { ...app.getHostVersion(), context: app.getHostContext(), can: app.getHostCapabilities() } });
});
Object.assign(window, { app });
